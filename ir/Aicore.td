// The aicore dialect: the program of an AI core, in the terms of its manual.
#ifndef MMK_IR_AICORE_TD
#define MMK_IR_AICORE_TD

include "AicoreProgram.td"
include "AicoreTransfers.td"
include "AicoreVector.td"
include "AicoreSync.td"

#endif
