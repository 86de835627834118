#!/usr/bin/env python3
"""Takes the pictures of docs/report.md from the report of a run of S1.

    docs/report-pictures.py build/bin/mmk
"""

import pathlib
import subprocess
import sys
import tempfile

DOCS = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent / "tests" / "run"))
from browser import Browser  # noqa: E402

KERNEL = DOCS.parent / "examples" / "matmul_bias_leakyrelu.mmk"
# A variant with something to see: one buffer in L1, so that loads and products alternate.
VARIANT = ["--set", "l1=1"]


def place_of(browser, lane, time):
    return map(int, browser.run("""
        const lane = document.querySelector(`[data-lane="${arguments[0]}"]`).getBoundingClientRect();
        const canvas = document.querySelector('.frame canvas').getBoundingClientRect();
        return [canvas.left + view.x(arguments[1]), lane.top + 9];""", lane, time))


def main():
    mmk = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder, Browser(1280, 720) as browser:
        subprocess.run([mmk, "run", KERNEL.relative_to(DOCS.parent), "--case", "S1", "--count-only",
                        "--profile", folder, *VARIANT], cwd=DOCS.parent, check=True,
                       stdout=subprocess.DEVNULL)
        browser.open(pathlib.Path(folder) / "report.html")
        browser.run("document.documentElement.style.scrollBehavior = 'auto';"
                    "document.querySelector('#timeline').scrollIntoView(); view.show(20000, 33000)")
        load = browser.run("""
            const mte2 = view.lanes.find(lane => lane.pipe === 'mte2');
            let i = mte2.before(20000);
            while (view.words.title(mte2, i) !== 'load a' || mte2.start[i] < 24000) ++i;
            return mte2.start[i] + mte2.length[i] / 2;""")
        browser.pointer(tuple(place_of(browser, "0/0/mte2", load)))
        browser.screenshot(DOCS / "report-timeline.png")
        browser.run("document.querySelector('#roofline').scrollIntoView()")
        browser.screenshot(DOCS / "report-roofline.png")


if __name__ == "__main__":
    main()
