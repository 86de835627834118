// The tensors of a chain, as its code reads and writes them.
#pragma once

#include "cpu/epilogue.h"
#include "cpu/row_code.h"

namespace mmk {

/// What a tile reads and writes, to be passed from function to function.
struct ChainPlaces {
  /// Of a product of scores, and of a product of weights.
  struct First {
    Plane a, b;
    llvm::Value *k = nullptr;
  };
  struct Second {
    Plane v;
    llvm::Value *columns = nullptr;
    llvm::Value *context = nullptr; ///< of the epilogue
  };
  llvm::SmallVector<First> firsts;
  llvm::SmallVector<Second> seconds;
  llvm::Value *m = nullptr, *n = nullptr;
  llvm::Value *allRows = nullptr; ///< of which a tile has m
  SpacePlaces rows;               ///< the first inputs are the scores, which have no place

  llvm::SmallVector<llvm::Value **> fields();
  /// The same in a function whose `frame` has the fields.
  ChainPlaces in(Emitter &e, llvm::Value *frame) const;
};

/// The places of a tile; adds the epilogue of each product of weights.
ChainPlaces placesOf(Emitter &e, cpu::ChainOp op, ProgramValues &values,
                     llvm::SmallVectorImpl<Epilogue> &epilogues);

} // namespace mmk
