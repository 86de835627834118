// Transfers from global memory into L1 of all cube cores only, which no schedule can express.
// Tiles of ROWS x COLUMNS of a matrix of HEIGHT x PITCH, of which the first 8192 columns are read, are
// mapped to all cores. All of it is read SWEEPS times over, and each tile TIMES times in a row.
aicore.kernel @gm_to_l1 dims ["HEIGHT", "PITCH", "ROWS", "COLUMNS", "SWEEPS", "TIMES"]
    args [#mmk.named<"x"["HEIGHT", "PITCH"]>] results [] cores 24 buffers {} {
^bb0(%height: index, %pitch: index, %rows: index, %columns: index, %sweeps: index, %times: index,
     %x: memref<?x?xf16, #aicore.space<gm>>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %width = arith.constant 8192 : index
  %cores = arith.constant 24 : index
  aicore.phase {
  ^bb0(%block: index):
    %buffer = aicore.alloc "x" of "l1" copies 1 : memref<64x256xf16, #aicore.space<l1>>
    %across = arith.ceildivsi %width, %columns : index
    %down = arith.ceildivsi %height, %rows : index
    %tiles = arith.muli %across, %down : index
    scf.for %sweep = %c0 to %sweeps step %c1 {
      scf.for %tile = %block to %tiles step %cores {
        %i = arith.divsi %tile, %across : index
        %j = arith.remsi %tile, %across : index
        %row = arith.muli %i, %rows : index
        %column = arith.muli %j, %columns : index
        scf.for %time = %c0 to %times step %c1 {
          aicore.load %x[%row, %column] along [0, 1] size(%rows, %columns) -> %buffer[%c0] pad 16
            : memref<?x?xf16, #aicore.space<gm>> -> memref<64x256xf16, #aicore.space<l1>>
        }
      }
    }
  }
}
