// The script of a website: it sends page views, custom events and the time spent on a page. It
// stores nothing in the browser; it reads localStorage.tidemark_ignore, by which its owner's visits are
// excluded. Its tag has the site key:
//
//   <script defer src="https://API/script/tidemark.js" data-site="KEY"></script>
//
// data-to is another address to send to; data-hash counts the routes behind # as pages;
// data-signals="ignore" also counts browsers that send an opt-out signal (the collector has a
// setting of its own for them). A tag that is in a page twice counts once.
const page = document
const browser = navigator
const data = page.currentScript.dataset
const to = data.to || new URL("/v1/collect/" + data.site, page.currentScript.src)
const now = Date.now
const unsent = []
let early = []

// The view that is on the screen: its address, and what is not sent of its time and depth.
let url, view, part, shownAt, used, depth, sentDepth

// post sends a hit, after those that could not be sent before. A hit that is sent twice has the
// same id and time, so the collector counts it once.
const post = (hit) => {
  unsent.push(hit)
  for (const next of unsent.splice(0, 50)) {
    next.sent = now()
    fetch(to, {method: "POST", body: text(next), keepalive: true, credentials: "omit"})
      .then((response) => { if (response.status > 499) unsent.push(next) }, () => unsent.push(next))
  }
}

// text is the JSON of a hit, without the properties if they have none.
const text = (hit) => {
  try {
    return JSON.stringify(hit)
  } catch {
    return JSON.stringify({...hit, props: undefined, revenue: undefined})
  }
}

const hash = "hash" in data
// own is whether the visits of this browser are excluded. It may have no storage.
const own = () => {
  try {
    return !!localStorage.tidemark_ignore || undefined
  } catch {}
}

const hit = (name, more) => ({name, url, hash, own: own(), id: view + "." + part++, at: now(), sent: now(), ...more})

const send = (name, more) => post(hit(name, more))

const look = () => {
  const {scrollHeight} = page.documentElement
  depth = Math.max(depth, Math.min(100, Math.round(100 * (scrollY + innerHeight) / scrollHeight)))
}

const show = () => { shownAt = shownAt || now() }

// rest ends a time in which the page was used: its window may be visible, and another one be used.
const rest = () => {
  if (shownAt) used += now() - shownAt
  shownAt = 0
}

// hide sends the time for which the page was used, and how much further it was scrolled. The page may
// end at once, so it is a beacon, which the browser sends by itself.
const hide = () => {
  rest()
  if (used) {
    look()
    browser.sendBeacon(to, text(hit("engagement", {duration: used, depth: depth - sentDepth})))
    sentDepth = depth
    used = 0
  }
}

const start = (referrer) => {
  url = location.href
  view = Math.random().toString(36).slice(2) + now().toString(36)
  part = depth = sentDepth = used = shownAt = 0
  send("pageview", {referrer, width: innerWidth})
  for (const call of early.splice(0)) send(...call)
  show()
}

const route = ({pathname, hash: behind}) => hash ? pathname + behind : pathname

// moved begins another view if the path has changed without a new document.
const moved = () => {
  if (url && route(new URL(url)) != route(location)) {
    hide()
    start()
  }
}

// A page that is prerendered or opened in the background is viewed when it is shown.
const change = () => {
  if (page.visibilityState == "hidden") hide()
  else if (url) show()
  else start(page.referrer)
}

// properties returns what the attributes data-event-… of an element say.
const properties = (element) => {
  const props = {}
  for (const {name, value} of element.attributes) {
    if (name.startsWith("data-event-")) props[name.slice(11)] = value
  }
  return props
}

const clicked = ({target, type}) => {
  const element = target.closest("[data-event]")
  const name = element && element.dataset.event // without a name, it would be a page view
  if (name && (type == "submit") == (element.tagName == "FORM")) tidemark(name, {props: properties(element)})
}

const loaded = window.tidemarkTo ||= {}
if (loaded[to]) {
  // the tag is in the page twice
} else if (loaded[to] = data.signals == "ignore" || !(browser.globalPrivacyControl || browser.doNotTrack == 1)) {
  early = (window.tidemark || {}).q || early
  // tidemark sends a custom event: tidemark("Purchase", {props: {plan: "pro"}, revenue: {currency: "EUR", amount: 9.95}}).
  window.tidemark = (name, more) => url ? send(name, more) : early.push([name, more])
  const push = history.pushState
  history.pushState = function () {
    push.apply(this, arguments)
    moved()
  }
  addEventListener("popstate", moved)
  if (hash) addEventListener("hashchange", moved)
  addEventListener("blur", rest)
  addEventListener("focus", () => { if (url) show() })
  addEventListener("scroll", look, {passive: true})
  addEventListener("pagehide", hide)
  addEventListener("pageshow", (event) => { if (event.persisted) start() })
  addEventListener("online", () => { if (unsent[0]) post(unsent.pop()) })
  page.addEventListener("visibilitychange", change)
  page.addEventListener("click", clicked)
  page.addEventListener("submit", clicked)
  change()
} else {
  window.tidemark = () => {}
}
