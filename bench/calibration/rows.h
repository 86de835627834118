// What was measured on chips of the 910b and published, and how each row is read as a program of
// ours.
#pragma once

#include "compiler/pipeline.h"
#include "machines/machine.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mmk::calibration {

/// The classes for which errors are summed up. A product is small below 40 microseconds.
/// Mixed tasks are those of cube and vector cores.
enum class Kind { product, smallProduct, mixed, transfer, elementwise };
inline constexpr Kind allKinds[] = {Kind::product, Kind::smallProduct, Kind::mixed, Kind::transfer,
                                    Kind::elementwise};
std::string_view nameOf(Kind kind);

struct Row {
  std::string name;
  Kind kind = Kind::product;
  std::string machine = "ascend910b1";
  std::string file;                ///< beside this one: a .mmk kernel or a .mlir one
  std::string kernel = {};         ///< of a file with several
  std::string type = {};           ///< of the elements, where the file has f32
  Choices choices = {};            ///< of the schedule
  std::vector<int64_t> dims = {};  ///< in the kernel's order
  std::optional<double> task = {}; ///< microseconds
  std::map<Pipe, double> pipes = {};
  std::string reading = {};    ///< what of the row had to be assumed
  bool usesCubesAlone = false; ///< where the emulated kernel needs vector cores, too
  bool isSimulated = false;    ///< a tile on one core of the vendor's simulator
};

const std::vector<Row> &rows();

} // namespace mmk::calibration
