// Drives pages of websites in a real browser. Arguments: the URL of the HTTP API, the browser,
// and site keys by scenario as JSON. Each scenario is a website of its own. It prints the
// scenarios that ran, one to a line.
import {createServer} from "node:http"
import {readFileSync, mkdtempSync, rmSync} from "node:fs"
import {spawn} from "node:child_process"
import {tmpdir} from "node:os"
import {join} from "node:path"
import {createRequire} from "node:module"
import {chromium} from "playwright-core"

const [api, browserName, keysText] = process.argv.slice(2)
const keys = JSON.parse(keysText)
const tracker = createRequire(import.meta.url).resolve("@plausible-analytics/tracker")
const signals = new Map() // what pages report, by name

// The pages: /SCENARIO/anything. Their policy allows the API and scripts of their own only.
const site = createServer((request, response) => {
  const {pathname} = new URL(request.url, "http://site")
  if (pathname.startsWith("/signal/")) {
    signals.get(pathname.slice(8))?.()
    return response.end()
  }
  if (pathname == "/plausible.js") {
    response.setHeader("Content-Type", "text/javascript")
    return response.end(readFileSync(tracker))
  }
  if (pathname.endsWith(".js")) {
    response.setHeader("Content-Type", "text/javascript")
    return response.end(scripts[pathname] ?? "")
  }
  const name = pathname.split("/")[1]
  response.setHeader("Content-Type", "text/html")
  response.setHeader("Content-Security-Policy", `default-src 'none'; script-src 'self' ${api}; connect-src 'self' ${api}; form-action 'self'`)
  response.end(`<!doctype html><title>${name}</title>
    <script src="/early.js"></script>${(pages[name] ?? tag)(keys[name])}
    <p style="height:3000px">text</p><button id="buy" data-event="Buy" data-event-plan="pro">buy</button>
    <form id="form" data-event="Sent" action="/${name}/thanks"><button id="submit">send</button></form>
    <a id="out" href="http://other.example/x?secret=1">out</a><a id="file" href="/${name}/report.pdf">file</a>`)
})
await new Promise((resolve) => site.listen(0, "127.0.0.1", resolve))
const home = `http://127.0.0.1:${site.address().port}`

const tag = (key, file = "tidemark") => `<script defer src="${api}/script/${file}.js" data-site="${key}"></script>`
const pages = {
  all: (key) => tag(key, "all"),
  plausible: () => `<script type="module" src="/trackplausible.js"></script>`,
  drive: (key) => tag(key) + `<script defer src="/drive.js"></script>`,
}
const scripts = {
  "/early.js": `window.tidemark = window.tidemark || function () { (tidemark.q = tidemark.q || []).push(arguments) }
    if (location.pathname.startsWith("/early")) tidemark("Early", {props: {at: "head"}})`,
  "/trackplausible.js": `import {init, track} from "/plausible.js"
    init({domain: "plausible.example", endpoint: "${api}/api/event", captureOnLocalhost: true})
    track("Signup", {props: {plan: "pro"}, revenue: {currency: "EUR", amount: 9.95}, callback: () => fetch("/signal/plausible")})`,
  "/drive.js": `addEventListener("load", async () => {
    history.pushState({}, "", "/drive/two")
    document.getElementById("buy").click()
    tidemark("Paid", {revenue: {currency: "EUR", amount: 19.9}})
    const moved = new Promise((resolve) => addEventListener("popstate", resolve, {once: true}))
    history.back()
    await moved
    setTimeout(() => fetch("/signal/drive"), 1500)
  })`,
}

const signal = (name) => new Promise((resolve) => signals.set(name, resolve))
const sent = (page, n) => { // resolves when the page has sent n requests to the collector
  let seen = 0
  return new Promise((resolve) => page.on("request", (r) => { if (r.url().includes("/v1/collect/") && ++seen == n) resolve() }))
}

const scenarios = {
  async view(page) {
    const done = sent(page, 1)
    await page.goto(`${home}/view/?utm_source=mail`)
    await done
  },
  async early(page) {
    const done = sent(page, 2)
    await page.goto(`${home}/early/`)
    await done
  },
  async spa(page) {
    const done = sent(page, 7) // four views, and three times spent
    await page.goto(`${home}/spa/`)
    await page.evaluate(() => history.pushState({}, "", "/spa/a"))
    await page.evaluate(() => history.pushState({}, "", "/spa/a#part"))
    await page.evaluate(() => history.pushState({}, "", "/spa/b"))
    await page.evaluate(() => new Promise((resolve) => { addEventListener("popstate", resolve, {once: true}); history.go(-3) }))
    await done
  },
  async all(page) {
    const done = sent(page, 4)
    await page.goto(`${home}/all/`)
    await page.evaluate(() => {
      addEventListener("click", (event) => event.preventDefault())
      for (const id of ["out", "file", "buy"]) document.getElementById(id).click()
    })
    await done
  },
  async form(page) {
    const done = sent(page, 2)
    await page.goto(`${home}/form/`)
    await page.click("#submit")
    await page.waitForURL("**/thanks?")
    await done
  },
  async offline(page, context) {
    const viewed = sent(page, 1)
    await page.goto(`${home}/offline/`)
    await viewed
    const done = sent(page, 4) // two that fail, and two again
    await context.setOffline(true)
    await page.evaluate(() => { tidemark("One"); tidemark("Two") })
    await page.waitForTimeout(300)
    await context.setOffline(false)
    await done
  },
  async back(page) {
    for (const go of [() => page.goto(`${home}/back/a`), () => page.goto(`${home}/back/b`), () => page.goBack()]) {
      const viewed = sent(page, 1)
      await go()
      await viewed
    }
  },
  async close(page, context) {
    const viewed = sent(page, 1)
    await page.goto(`${home}/close/`)
    await viewed
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
    await page.waitForTimeout(1100)
    const closed = page.waitForEvent("close")
    await page.close({runBeforeUnload: true})
    await closed
  },
  async repeat(page) {
    const first = page.waitForRequest((r) => r.url().includes("/v1/collect/"))
    const done = sent(page, 1)
    await page.goto(`${home}/repeat/`)
    const request = await first
    await done
    for (let i = 0; i < 2; i++) {
      await fetch(request.url(), {method: "POST", body: request.postData(), headers: {"User-Agent": request.headers()["user-agent"]}})
    }
  },
  async optout(page, context) {
    await context.addInitScript(() => Object.defineProperty(Navigator.prototype, "globalPrivacyControl", {get: () => true}))
    await page.goto(`${home}/optout/`)
    await page.click("#buy")
    await page.waitForTimeout(500)
  },
  async plausible(page) {
    const done = signal("plausible")
    await page.goto(`${home}/plausible/`)
    await done
  },
}

// A headless browser says so, and would be counted as a program. The option also holds for
// requests of a page that was left, other than that of a context.
const agent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36"

if (browserName == "chromium") {
  const browser = await chromium.launch({executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--user-agent=" + agent]})
  for (const [name, run] of Object.entries(scenarios)) {
    const context = await browser.newContext()
    const timer = setTimeout(() => { console.error(`scenario ${name} did not end within 20 s`); process.exit(1) }, 20_000)
    const page = await context.newPage()
    await run(page, context)
    clearTimeout(timer)
    if (!page.isClosed()) await page.goto("about:blank") // ends the view
    await new Promise((resolve) => setTimeout(resolve, 500)) // for requests of a page that was left
    await context.close()
    console.log(name)
  }
  await browser.close()
} else {
  // Without a driver: the page acts itself, and says when it is done.
  const profile = mkdtempSync(join(tmpdir(), "tidemark-firefox-"))
  const done = signal("drive")
  const firefox = spawn(process.env.FIREFOX ?? "/usr/bin/firefox-esr", ["--headless", "--no-remote", "--profile", profile, `${home}/drive/`], {stdio: "ignore"})
  const timer = setTimeout(() => { firefox.kill("SIGKILL"); console.error("the page did not signal within 60 s"); process.exit(1) }, 60_000)
  await done
  clearTimeout(timer)
  const ended = new Promise((resolve) => firefox.on("exit", resolve))
  firefox.kill()
  await ended
  rmSync(profile, {recursive: true, force: true, maxRetries: 5})
  console.log("drive")
}
site.close()
site.closeAllConnections()
