// Builds the scripts of websites from src to dist, and prints their sizes. With --check, it only
// fails if dist differs.
import {build} from "esbuild"
import {readFileSync, readdirSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {gzipSync} from "node:zlib"

const here = import.meta.dirname
const limit = 1229 // bytes of the gzipped tidemark.js: 1.2 KB
for (const name of readdirSync(join(here, "src")).sort()) {
  const {outputFiles: [{text}]} = await build({
    entryPoints: [join(here, "src", name)], bundle: true, minify: true, format: "iife", target: "es2020", write: false,
  })
  const file = join(here, "dist", name)
  const size = gzipSync(text, {level: 9}).length
  console.log(`${name.padEnd(14)} ${String(text.length).padStart(5)} bytes, ${String(size).padStart(4)} gzipped`)
  if (name == "tidemark.js" && size > limit) throw new Error(`${name} has ${size} bytes, the limit is ${limit}: remove something, or move it to an extension`)
  if (process.argv.includes("--check")) {
    if (readFileSync(file, "utf8") != text) throw new Error(`dist/${name} is not what src/${name} builds: run make script`)
  } else {
    writeFileSync(file, text)
  }
}
