// What the user sees while a command works.
#ifndef SIM_CLI_CONSOLE_H_
#define SIM_CLI_CONSOLE_H_

#include "sim/cosim/prepare.h"

namespace bw::cli {

// Progress on one line of stderr, at most ten times a second; nothing unless stderr is a terminal.
cosim::Progress TerminalProgress();
// Takes that line away.
void ClearProgress();

// Cores of this machine, at least 1.
int Cores();

}  // namespace bw::cli

#endif  // SIM_CLI_CONSOLE_H_
