// Drives pages of websites in a real browser. Arguments: the URL of the HTTP API, the browser,
// and site keys by scenario as JSON. Each scenario is a website of its own. It prints the
// scenarios that ran, one to a line.
import {createServer} from "node:http"
import {readFileSync, mkdtempSync, rmSync, writeFileSync} from "node:fs"
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
  response.setHeader("Content-Security-Policy", `default-src 'none'; script-src 'self' 'inline-speculation-rules' ${api}; connect-src 'self' ${api}; form-action 'self'`)
  response.end(`<!doctype html><title>${name}</title>
    <script src="/early.js"></script>${(pages[name] ?? tag)(keys[name])}
    <p style="height:3000px">text</p><button id="buy" data-event="Buy" data-event-plan="pro">buy</button>
    <button id="nameless" data-event>none</button>
    <form id="form" data-event="Sent" action="/${name}/thanks"><button id="submit">send</button></form>
    <a id="out" href="http://other.example/x?secret=1">out</a><a id="file" href="/${name}/report.pdf">file</a>`)
})
await new Promise((resolve) => site.listen(0, "127.0.0.1", resolve))
const home = `http://127.0.0.1:${site.address().port}`

const tag = (key, file = "tidemark", more = "") => `<script defer src="${api}/script/${file}.js" data-site="${key}"${more}></script>`
const pages = {
  twice: (key) => tag(key, "all") + tag(key, "all") + tag(key),
  hash: (key) => tag(key, "tidemark", " data-hash"),
  all: (key) => tag(key, "all"),
  plausible: () => `<script type="module" src="/trackplausible.js"></script>`,
  back: (key) => tag(key) + `<script defer src="/back.js"></script>`,
  drive: (key) => tag(key) + `<script defer src="/drive.js"></script>`,
  driveback: (key) => tag(key) + `<script defer src="/driveback.js"></script>`,
  driveoptout: (key) => tag(key) + `<script defer src="/optedout.js"></script>`,
  ignore: (key) => tag(key, "tidemark", ' data-signals="ignore"'),
  driveprerender: (key) => tag(key) + `<script type="speculationrules">{"prerender": [{"urls": ["/driveprerender/next", "/driveprerender/never"]}]}</script>
    <script defer src="/driveprerender.js"></script>`,
}
const scripts = {
  "/early.js": `window.tidemark = window.tidemark || function () { (tidemark.q = tidemark.q || []).push(arguments) }
    if (location.pathname.startsWith("/early")) tidemark("Early", {props: {at: "head"}})`,
  // The browser is not told to go forward: it may still be leaving the page for its driver, and the order would be lost.
  "/back.js": `addEventListener("pageshow", ({persisted}) => {
      if (persisted && location.pathname.endsWith("b")) fetch("/signal/back")
      else if (persisted) setTimeout(() => history.forward(), 500)
    })`,
  // A page that goes on to the next one and comes back. Firefox keeps it as it was.
  "/driveback.js": `addEventListener("load", () => setTimeout(() => {
      if (location.pathname.endsWith("next")) history.back()
      else location.href = "/driveback/next"
    }, 1000))
    addEventListener("pageshow", ({persisted}) => { if (persisted) setTimeout(() => fetch("/signal/drive"), 1500) })`,
  // A page that has the next one prerendered, and another that is never shown. It goes on when both are ready.
  "/driveprerender.js": `if (!document.prerendering) setTimeout(() => { location.href = "/driveprerender/next" }, 3000)
    document.addEventListener("prerenderingchange", () => setTimeout(() => { location.href = "/signal/drive" }, 500))`,
  "/optedout.js": `addEventListener("load", () => {
    document.getElementById("buy").click()
    if (navigator.globalPrivacyControl) setTimeout(() => fetch("/signal/drive"), 1500)
  })`,
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
  async twice(page) { // the tag is in the page three times
    const done = sent(page, 3)
    await page.goto(`${home}/twice/`)
    await page.evaluate(() => {
      addEventListener("click", (event) => event.preventDefault())
      for (const id of ["out", "buy", "nameless"]) document.getElementById(id).click()
    })
    await done
  },
  async hash(page) { // routes behind #, and properties that JSON cannot have
    const done = sent(page, 7) // three views, two times spent, two events
    await page.goto(`${home}/hash/#/home`)
    await page.evaluate(() => { location.hash = "#/about" })
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 200)))
    await page.evaluate(() => history.pushState({}, "", "#/contact"))
    await page.evaluate(() => {
      const circular = {}
      circular.self = circular
      tidemark("Circular", {props: circular})
      tidemark("Big", {props: {n: 1n}})
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
  async stored(page) { // back to a page that is loaded again
    for (const go of [() => page.goto(`${home}/stored/a`), () => page.goto(`${home}/stored/b`), () => page.goBack()]) {
      const viewed = sent(page, 1)
      await go()
      await viewed
    }
  },
  async back(page) { // back to a page that was kept as it was, and forward again
    for (const path of ["a", "b"]) {
      const viewed = sent(page, 1)
      await page.goto(`${home}/back/${path}`)
      await viewed
    }
    const again = signal("back")
    page.evaluate("history.back()").catch(() => {}) // the page is left
    await again
    await page.waitForTimeout(300)
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
  async ignore(page, context) { // the site counts browsers that opt out
    await context.addInitScript(() => Object.defineProperty(Navigator.prototype, "globalPrivacyControl", {get: () => true}))
    const done = sent(page, 2)
    await page.goto(`${home}/ignore/`)
    await page.click("#buy")
    await done
  },
  async dnt(page, context) { // the older signal
    await context.addInitScript(() => Object.defineProperty(Navigator.prototype, "doNotTrack", {get: () => "1"}))
    await page.goto(`${home}/dnt/`)
    await page.click("#buy")
    await page.waitForTimeout(500)
  },
  async plausible(page) {
    const done = signal("plausible")
    await page.goto(`${home}/plausible/`)
    await done
  },
}

// A headless browser says so, and would be counted as a program. The option also holds for requests
// of a page that was left; a context's option does not.
const agent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36"

if (browserName == "chromium") {
  const launch = (more) => chromium.launch({executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--user-agent=" + agent], ...more})
  const browser = await launch(), keeping = await launch({ignoreDefaultArgs: ["--disable-back-forward-cache"]})
  for (const [name, run] of Object.entries(scenarios)) {
    const context = await (name == "back" ? keeping : browser).newContext()
    const timer = setTimeout(() => { console.error(`scenario ${name} did not end within 60 s`); process.exit(1) }, 60_000)
    const page = await context.newPage()
    await run(page, context)
    clearTimeout(timer)
    if (!page.isClosed()) await page.goto("about:blank") // ends the view
    await new Promise((resolve) => setTimeout(resolve, 500)) // for requests of a page that was left
    await context.close()
    console.log(name)
  }
  await Promise.all([browser.close(), keeping.close()])
  await alone("driveprerender", (profile) => [process.env.CHROMIUM ?? "/usr/bin/chromium", "--headless=new", "--no-sandbox", "--no-first-run", "--user-agent=" + agent, "--user-data-dir=" + profile])
} else {
  const optOut = 'user_pref("privacy.globalprivacycontrol.enabled", true);'
  for (const [name, preferences] of [["drive", ""], ["driveback", ""], ["driveoptout", optOut]]) {
    await alone(name, (profile) => {
      writeFileSync(join(profile, "user.js"), preferences)
      return [process.env.FIREFOX ?? "/usr/bin/firefox-esr", "--headless", "--no-remote", "--profile", profile]
    })
  }
}

// Without a driver: the page acts itself, and says when it is done.
async function alone(name, command) {
  const profile = mkdtempSync(join(tmpdir(), "tidemark-browser-"))
  const done = signal("drive")
  const [program, ...options] = command(profile)
  const browser = spawn(program, [...options, `${home}/${name}/`], {stdio: "ignore"})
  const timer = setTimeout(() => { browser.kill("SIGKILL"); console.error(`the page ${name} did not signal within 60 s`); process.exit(1) }, 60_000)
  await done
  clearTimeout(timer)
  await new Promise((resolve) => setTimeout(resolve, 500)) // for requests of a page that was left
  const ended = new Promise((resolve) => browser.on("exit", resolve))
  browser.kill()
  await ended
  await remove(profile)
  console.log(name)
}

// The processes that a browser started outlive it for a moment, and still write into its profile.
async function remove(profile) {
  for (const until = Date.now() + 10_000; ; await new Promise((resolve) => setTimeout(resolve, 100))) {
    try {
      return rmSync(profile, {recursive: true, force: true})
    } catch (e) {
      if (e.code !== "ENOTEMPTY" || Date.now() > until) throw e
    }
  }
}
site.close()
site.closeAllConnections()
