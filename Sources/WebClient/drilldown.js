// A client of this service for web pages, without a build step: levels, details, live updates, edits, and copies for
// the time without a connection. Use it with `import {Drilldown} from '/client/drilldown.js'`. The exports follow
// semantic versioning. The manual has examples.

export const version = '1.1.0'

/** The error of a refused request. `status` is the status of the answer, and `body` is the problem. */
export class Problem extends Error {
  constructor(status, body) {
    super(body.detail ?? body.title
      ?? (status === 414 ? 'The address is too long.' : `The server answered with status ${status}.`))
    this.status = status
    this.body = body
  }

  static async of(response) {
    const problem = new Problem(response.status, await response.json().catch(() => ({})))
    return Object.assign(problem, {retryAfter: Math.max(0, Number(response.headers.get('Retry-After'))) || null})
  }
}

/** Returns whether a link begins with one `/`, so that after the address of a service it leads to no other host. A
  browser takes `\\` for `/`, and ignores white space. */
export const isPath = link => /^\/(?![\s/\\])/.test(link)

// One of the ways to encode a segment, the same for each way in which a link can have it.
function canonical(segment) {
  try {
    return encodeURIComponent(decodeURIComponent(segment).normalize('NFC'))
  } catch {
    return segment
  }
}

// The path of a link to a level or to a detail, so that two links to the same item have the same path. A link begins
// with the path of a proxy, if there is one.
const pathOf = link =>
  link.replace(/\?.*/, '').replace(/^.*?\/(levels|detail)(?=\/|$)/, '').replace(/\/$/, '').split('/').map(canonical)
    .join('/')
const above = path => path.replace(/\/[^/]*$/, '')

/** Returns whether an entry of `/changes` may concern a row of a level or any field of the rows; with `below`, also
  any item below these rows. */
export function concerns({truncated, levels, details}, level, {below = false} = {}) {
  const path = pathOf(level), changed = [...levels.map(pathOf), ...details.map(link => above(pathOf(link)))]
  return Boolean(truncated) || changed.some(each => each === path || below && each.startsWith(path + '/'))
}

// The storage of the web page; null if the browser blocks it.
function ownStore() {
  try {
    return globalThis.localStorage
  } catch {
    return null
  }
}

export class Drilldown {
  #token = null
  // The functions that end the present pauses.
  #pauses = new Set()

  /** `address`: the address of the service. `token`: the token for reading or edits, which may be set later. `store`:
    the storage for copies, or null to keep no copies. While there is a token, copies are neither kept nor shown. */
  constructor({address = new URL('..', import.meta.url).href, token = null, store = ownStore()} = {}) {
    this.address = address.replace(/\/$/, '')
    this.token = token
    this.store = store
    globalThis.addEventListener?.('online', () => this.#resume())
  }

  get token() {
    return this.#token
  }

  set token(token) {
    this.#token = token
    this.#resume()
  }

  /** Reads a link, such as '/levels/' or the `href` of a row, with query options, such as {sort: '-Title'}. */
  get(link, query = {}, how = {}) {
    const options = new URLSearchParams(query).toString()
    return this.send('GET', options ? `${link}${link.includes('?') ? '&' : '?'}${options}` : link, undefined, undefined,
      how)
  }

  /** Sends a request once. `tag`: the version that the item must still have. Throws a Problem if the server refuses,
    and a TypeError if the connection fails. */
  async send(method, link, content, tag, how = {}) {
    if (!isPath(link)) throw new Problem(400,
      {detail: `'${link}' is not a link of this service, because it does not begin with one '/'.`})
    const headers = {
      Accept: 'application/json', ...(this.token && {Authorization: `Bearer ${this.token}`}),
      ...(content !== undefined && {'Content-Type': 'application/json'}), ...(tag && {'If-Match': `"${tag}"`})}
    // The links of a service behind a proxy begin with the path of its address.
    const base = this.address.replace(/^\w+:\/\/[^/]*/, ''),
      target = link.startsWith(base + '/') ? link.slice(base.length) : link
    const response = await fetch(this.address + target, {...how, method, headers, body: JSON.stringify(content)})
    if (!response.ok) throw await Problem.of(response)
    return response.status === 204 ? null : response.json()
  }

  /** Changes fields of a detail; null removes a field. Changes that other clients made to other fields stay. If another
    client has given one of these fields another value, nothing is saved: the Problem has the status 412, the current
    detail as `theirs`, and the names of the fields in conflict as `fields`. */
  async save(detail, fields) {
    try {
      return await this.send('PATCH', detail.href, fields, detail.fieldsVersion)
    } catch (problem) {
      if (problem.status !== 412) throw problem
      const theirs = await this.get(detail.href), text = value => JSON.stringify(value ?? null)
      const both = Object.keys(fields).filter(name =>
        ![detail.fields[name], fields[name]].map(text).includes(text(theirs.fields[name])))
      if (both.length) throw Object.assign(problem, {theirs, fields: both})
      return this.save(theirs, fields)
    }
  }

  /** Calls `show(answer, state)` with a level or a detail: with the stored copy (state.isCopy), with the current
    answer, after each change, when the connection is lost (state.isLost), and when the server refuses (state.problem).
    Returns a function that ends the watch. An exception of `show` is reported, and does not end the watch. */
  watch(link, show, query = {}) {
    const over = new AbortController()
    this.#follow(link, query, show, over.signal)
    return () => over.abort()
  }

  // Reads an answer, then its `follow`, then the `follow` of that answer, and so on. After a failure that may pass, the
  // same link is read again, but without a wait, so that the answer shows at once that the service is back; after a
  // refusal or an answer that cannot be used, `link`.
  async #follow(link, query, show, signal) {
    const key = `drilldown ${this.address} ${link} ${new URLSearchParams(query)}`
    let answer = this.token ? null : this.#copy(key), isNew = true, attempt = 0, early = 0
    const tell = state => {
      try {
        show(answer, state)
      } catch (error) {
        reportError(error)
      }
    }
    if (answer) tell({isCopy: true})
    while (!signal.aborted) {
      if (!isNew) await untilVisible()
      // An answer that did not arrive in time may be long.
      const isOpen = !this.token, begin = performance.now(), how = {signal: within(attempt ? 120 : 45, signal)}
      let isRead = false
      try {
        // For an equal request of another window, a browser would wait, because it may store the answer of the first.
        const received = await (isNew ? this.get(link, query, how)
          : this.get(attempt ? withoutWait(answer.follow) : answer.follow, {}, {...how, cache: 'no-store'}))
        if (signal.aborted) return
        isRead = true
        const next = applied(received, answer)
        if (!next.follow) {
          answer = next
          throw new Problem(200,
            {detail: 'The answer has no link `follow`, so its changes cannot be followed: '
              + 'the service is older than this module.'})
        }
        if (attempt) this.#resume()
        const isShown = !isNew && !attempt && next.version === answer.version
        // A cache that answers without a change and without a wait would otherwise be asked without a pause.
        early = isShown && performance.now() - begin < 1000 ? early + 1 : 0
        answer = next
        isNew = false
        attempt = 0
        if (early) await this.#pause(early - 1, {})
        if (isShown) continue
        tell({})
        if (isOpen) this.#stored(store => store.setItem(key, JSON.stringify(answer)))
      } catch (problem) {
        if (signal.aborted) return
        isNew ||= isRead || !mayPass(problem)
        if (isRefusal(problem)) this.#stored(store => store.removeItem(key))
        // Without the right token, the answer is not shown any more.
        if ([401, 403].includes(problem.status)) answer = null
        tell(problem.status ? {problem} : {isLost: true})
        await this.#pause(attempt++, problem)
      }
    }
  }

  // Waits before the next attempt.
  #pause(attempt, problem) {
    return new Promise(resolve => {
      const end = () => {
        this.#pauses.delete(end)
        resolve()
      }
      setTimeout(end, pauseAfter(problem, attempt) * 1000)
      if (!problem.retryAfter) this.#pauses.add(end)
    })
  }

  // Ends the pauses whose lengths the server has not set.
  #resume() {
    for (const end of this.#pauses) end()
    this.#pauses.clear()
  }

  // Uses the storage for copies. If the browser blocks the storage, or if the storage is full, there is no copy.
  #stored(action) {
    try {
      return this.store && action(this.store)
    } catch {
      return null
    }
  }

  // The stored copy of an answer, or null. A copy that cannot be read is dropped.
  #copy(key) {
    const text = this.#stored(store => store.getItem(key))
    try {
      return JSON.parse(text ?? 'null')
    } catch {
      this.#stored(store => store.removeItem(key))
      return null
    }
  }
}

/** Returns the whole of an answer to `follow`, which may have only the changes since `former`, the answer with that
  `follow`. Throws a Problem if these are changes since another version. */
export function applied({since, removed, inserted, moved, updated, ...answer}, former) {
  if (!removed) return answer
  if (since !== former?.version) {
    throw new Problem(200,
      {detail: `The answer has the changes since the version '${since}', `
        + `but the copy has the version '${former?.version}'.`})
  }
  const byKey = new Map([...former.rows, ...updated.map(({row}) => row)].map(row => [row.key, row]))
  const taken = new Set([...removed, ...moved.map(({key}) => key)])
  const rows = former.rows.filter(({key}) => !taken.has(key)).map(({key}) => byKey.get(key))
  const placed = [...inserted, ...moved.map(({at, key}) => ({at, row: byKey.get(key)}))]
  for (const {at, row} of placed.sort((a, b) => a.at - b.at)) rows.splice(at, 0, row)
  return {...answer, rows}
}

/** Returns a `follow` that the service answers at once, although its answer may be current. */
export const withoutWait = follow => follow.replace(/&(wait|turn)=\d+/g, '')

/** The seconds before a request is repeated after a failure: as the server says, otherwise one, doubled with each try,
  up to 30; and up to half of that longer, so that not all clients return at once. */
export const pauseAfter = ({retryAfter}, attempt) =>
  (retryAfter ? Math.min(retryAfter, LONGEST_PAUSE) : Math.min(2 ** attempt, 30)) * (1 + Math.random() / 2)

// A day, in seconds. A timer of more than 24 days ends immediately.
const LONGEST_PAUSE = 86_400

// @ts-ignore: TypeScript 4.8 does not know these functions.
const within = (seconds, signal) => AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)])

// Browsers allow few connections to one server for all tabs. Therefore a hidden page does not wait for changes.
async function untilVisible() {
  while (globalThis.document?.hidden) await new Promise(resolve =>
    document.addEventListener('visibilitychange', resolve, {once: true}))
}

// Whether a request may succeed if it is repeated unchanged: the connection was lost, or the server is at fault. An
// answer that is not JSON (a SyntaxError) may come from a proxy.
const mayPass = ({status, name}) => status ? status >= 500 : name !== 'SyntaxError'
const isRefusal = ({status}) => status >= 400 && status < 500
