"""Reads a Persian screen with a recogniser that this project did not train, made by examples/recognisers/persian.py.

    pip install onnx==1.23.2 numpy==2.4.6
    pip download --no-deps parisaocr==0.7.2
    python persian.py FINGERTIP parisaocr-0.7.2-py3-none-any.whl FOLDER

FOLDER takes the recogniser's files and a configuration. Prints "N passed, N failed"; exits 1 on a failure.
"""

import json
import pathlib
import subprocess
import sys

from checks import check, finish

HERE = pathlib.Path(__file__).parent
MAKER = HERE.parent.parent / "examples" / "recognisers" / "persian.py"
# Drawn with the font Vazirmatn: a title, rows, small grey print, and white letters on a button.
LINES = {
    "تنظیمات": (311, 39),
    "شبکه بی‌سیم": (512, 142),
    "حریم خصوصی و امنیت": (381, 234),
    "صفحه نمایش و روشنایی": (360, 323),
    "نسخه تازه آماده است": (472, 388),
    "حذف همه عکس‌ها": (221, 518),
}


def main(fingertip, wheel, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    config = folder / "fingertip.toml"

    def find(query, *, table):
        config.write_text(f'[server]\ndata_dir = "data"\n{table}', encoding="utf-8")
        command = [fingertip, "--config", str(config), "perceive", "text", "--json"]
        command += ["--image", str(HERE / "persian.png"), "--query", query]
        ran = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=120)
        return json.loads(ran.stdout)["matches"] if ran.returncode == 0 else ran.stderr

    table = '[[perception.recogniser]]\nmodel = "persian.onnx"\ndictionary = "persian.txt"\n'

    @check("the recogniser is made of the package")
    def _():
        subprocess.run([sys.executable, str(MAKER), wheel, str(folder)], check=True, timeout=120)

    for line, (left, top) in LINES.items():

        @check(f"{line} is found where it stands")
        def _(line=line, left=left, top=top):
            found = find(line, table=table)
            assert [match["text"] for match in found] == [line], found
            bounds = found[0]["bounds"]
            assert abs(bounds["x"] - left) < 12 and abs(bounds["y"] - top) < 12, bounds

    @check("without it nothing is found")
    def _():
        assert find("تنظیمات", table="") == []

    @check("a file that broke off is refused by name")
    def _():
        whole = (folder / "persian.onnx").read_bytes()
        (folder / "part.onnx").write_bytes(whole[: len(whole) // 2])
        error = find("تنظیمات", table=table.replace("persian.onnx", "part.onnx"))
        assert "part.onnx cannot be used" in error and "[[perception.recogniser]]" in error, error

    sys.exit(finish())


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
