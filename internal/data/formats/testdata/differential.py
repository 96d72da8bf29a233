"""Writes FILES random files with SEED into a folder, as Python's csv and json write them, and prints what is in them.

usage: differential.py SEED FILES FOLDER
Prints one JSON object a file: its name and its rows. A row has the text of each field, and None for no value.
"""

import csv
import json
import random
import sys

SEED, FILES, FOLDER = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
rnd = random.Random(SEED)
PARTS = ['"', '""', "'", ",", ";", "\t", "|", "\n", " ", "\\", "#", "=", "é", "°C", "😀", "x", "0", "-", ".", "null", "{", "]"]


def text():
    return "".join(rnd.choice(PARTS) for _ in range(rnd.randint(1, 8)))


def number():
    return rnd.choice([rnd.randint(-(10**14), 10**14), rnd.randint(-99, 99), round(rnd.uniform(-100, 100), rnd.randint(1, 9))])


def identity(row):
    return {"deviceId": "a", "timestamp": f"2026-04-20T14:{row // 60:02}:{row % 60:02}Z"}


def write_csv(path):
    rows = [[text(), number()] for _ in range(rnd.randint(1, 20))]
    rows[0][0] = "x" + rows[0][0]  # a column of text
    form = {
        "delimiter": rnd.choice(",;\t|"),
        "quoting": rnd.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
        "lineterminator": rnd.choice(["\n", "\r\n"]),
    }
    with open(path, "w", encoding=rnd.choice(["utf-8", "utf-8-sig", "utf-16"]), newline="") as f:
        out = csv.writer(f, **form)
        out.writerow(["deviceId", "timestamp", "firmware", "temperature"])
        out.writerows([*identity(i).values(), *row] for i, row in enumerate(rows))
    fields = [{"firmware": note.strip(), "temperature": repr(n)} for note, n in rows]
    return [{k: v for k, v in row.items() if v} for row in fields]  # an empty cell is no field


def write_json(path):
    def value():
        return rnd.choice([text(), number(), True, False, None, float("nan"), 1e-7 * rnd.randint(1, 99)])

    rows = [{f"{text()}{k}": value() for k in range(rnd.randint(1, 6))} for _ in range(rnd.randint(1, 20))]
    objects = [identity(i) | row for i, row in enumerate(rows)]
    form = {"ensure_ascii": rnd.random() < 0.5}
    if rnd.random() < 0.3:
        form["indent"] = 2
    with open(path, "w", encoding="utf-8") as f:
        if rnd.random() < 0.5:
            json.dump(objects, f, **form)
        else:
            f.write(rnd.choice(["\n", ""] if "indent" not in form else ["\n"]).join(json.dumps(o, **form) for o in objects))
    return [{k: None if v is None or v != v else v if isinstance(v, str) else json.dumps(v) for k, v in row.items()} for row in rows]


for i in range(FILES):
    name, write = (f"{i}.csv", write_csv) if i % 2 else (f"{i}.json", write_json)
    print(json.dumps({"name": name, "rows": write(f"{FOLDER}/{name}")}))
