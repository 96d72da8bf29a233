// Prints the licences and notices of everything that programs of Go packages contain: Go itself, the modules, the
// packages of the pages, and data. It fails for one without a licence, or with a licence that is not listed here: then
// decide whether the dependency may be shipped.
//
//   node scripts/notices.mjs PACKAGE…        such as ./cmd/tidemark ./functions/...
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"

// The licences that may be shipped in a program under the Apache License, by words of their texts.
const known = {
  "Apache-2.0": /Apache License Version 2\.0/,
  MIT: /Permission is hereby granted, free of charge, to any person obtaining a copy of this software/,
  BSD: /Redistribution and use in source and binary forms, with or without modification, are permitted/,
  ISC: /Permission to use, copy, modify, and(\/or)? distribute this software for any purpose with or without fee/,
  Unlicense: /This is free and unencumbered software released into the public domain/,
  "CC0-1.0": /CC0 1\.0 Universal/,
}

const isNotice = (name) => /^(licen[cs]e|copying|notice|patents)/i.test(name) && !/\.go$/.test(name)

// notices returns the texts in a directory, by the name of what it has.
function notices(name, dir) {
  const files = readdirSync(dir, { withFileTypes: true }).filter((f) => f.isFile() && isNotice(f.name))
  const texts = files.map((f) => readFileSync(join(dir, f.name), "utf8").trim())
  return notice(name, texts, `${files.map((f) => f.name).join(", ") || "any file"} of ${dir}`)
}

// notice returns the texts of what has a name, or fails if none is a licence that is known.
function notice(name, texts, from) {
  const licences = Object.keys(known).filter((l) => texts.some((t) => known[l].test(t.replace(/[\s>]+/g, " "))))
  if (!licences.length) throw new Error(`${name}: no licence that may be shipped in ${from}`)
  return `${"=".repeat(80)}\n${name} (${licences.join(", ")})\n${"=".repeat(80)}\n\n${texts.join("\n\n")}\n`
}

const go = (...args) => execFileSync("go", args, { encoding: "utf8", maxBuffer: 1 << 26 }).trim()
const modules = new Map()
for (const line of go("list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}", ...process.argv.slice(2)).split("\n")) {
  const [name, dir] = line.split("\t")
  if (name && !name.startsWith("github.com/tidemark-db/tidemark ")) modules.set(name, dir)
}
const own = new URL("../ui/", import.meta.url).pathname
// Data with a licence that asks for its notice, which is in its comments.
const data = ["../internal/web/collector/bots.txt"]
const pages = Object.entries(JSON.parse(readFileSync(join(own, "package.json"), "utf8")).dependencies)
try {
  const parts = [notices("The Go standard library", go("env", "GOROOT"))]
  for (const name of [...modules.keys()].sort()) parts.push(notices(name, modules.get(name)))
  for (const [name, version] of pages) {
    const dir = join(own, "node_modules", name)
    parts.push(existsSync(dir) ? notices(`${name} ${version}`, dir) : `${name} ${version}: see the end of app.js\n`)
  }
  for (const file of data) {
    const lines = readFileSync(new URL(file, import.meta.url), "utf8").split("\n").filter((l) => l.startsWith("#"))
    parts.push(notice(file.slice("../".length), [lines.map((l) => l.replace(/^# ?/, "")).join("\n")], file))
  }
  process.stdout.write("This program contains the following software.\n\n" + parts.join("\n"))
} catch (missing) {
  console.error(missing.message)
  process.exit(1)
}
