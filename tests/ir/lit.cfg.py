import os
import sys

import lit.formats

config.name = "mmk-ir"
# No shell in between: the same on every host, and a failing command in a pipe fails the test.
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.test_source_root = os.path.dirname(__file__)

# Whole names only, so that "mmk-opt" in a path is not replaced.
for tool, folder in [
    ("mmk-opt", config.mmk_tools_dir),
    ("FileCheck", config.llvm_tools_dir),
    ("not", config.llvm_tools_dir),
]:
    config.substitutions.append((rf"(?<![\w./-]){tool}(?![\w./-])", os.path.join(folder, tool)))

root = os.path.dirname(os.path.dirname(config.test_source_root))
config.substitutions += [
    ("%python", sys.executable),
    ("%place", "--aicore-assign-memories --aicore-insert-transfers"
               " --aicore-distribute-vector-work"),
    ("%checks", config.test_source_root),
    ("%root", root),
    ("%mmk(?!-)", os.path.join(config.mmk_tools_dir, "mmk")),
]

# A variable lives from one CHECK-LABEL to the next unless its name begins with $, so that no case
# can pass by what another has matched.
config.environment["FILECHECK_OPTS"] = "--enable-var-scope"
