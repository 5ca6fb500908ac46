// A client of this service for web pages, without a build step: levels, details, live updates, edits, and copies for
// the time without a connection. Use it with `import {Drilldown} from '/client/drilldown.js'`. The exports follow
// semantic versioning. The manual has examples.

export const version = '1.0.2'

/** The error of a refused request. `status` is the status of the answer, and `body` is the problem. */
export class Problem extends Error {
  constructor(status, body) {
    super(body.detail ?? body.title ?? (status === 414 ? 'The address is too long.' : `The server answered with status ${status}.`))
    this.status = status
    this.body = body
  }

  static async of(response) {
    const problem = new Problem(response.status, await response.json().catch(() => ({})))
    return Object.assign(problem, {retryAfter: Number(response.headers.get('Retry-After')) || null})
  }
}

// One of the ways to encode a segment, the same for each way in which a link can have it.
function canonical(segment) {
  try {
    return encodeURIComponent(decodeURIComponent(segment).normalize('NFC'))
  } catch {
    return segment
  }
}

// The beginning of a link to a level or to a detail. It begins with the path of a proxy, if there is one.
const ROUTE = /^.*?\/(levels|detail)(?=\/|$)/

// The path of a link to a level or to a detail, so that two links to the same item have the same path.
const pathOf = link => link.replace(/\?.*/, '').replace(ROUTE, '').replace(/\/$/, '').split('/').map(canonical).join('/')
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
  #watches = new Set()
  #isFollowing = false
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
    return this.send('GET', options ? `${link}${link.includes('?') ? '&' : '?'}${options}` : link, undefined, undefined, how)
  }

  /** Sends a request once. `tag`: the version that the item must still have. Throws a Problem if the server refuses,
    and a TypeError if the connection fails. */
  async send(method, link, content, tag, how = {}) {
    const headers = {
      Accept: 'application/json', ...(this.token && {Authorization: `Bearer ${this.token}`}),
      ...(content !== undefined && {'Content-Type': 'application/json'}), ...(tag && {'If-Match': `"${tag}"`})}
    // The links of a service behind a proxy begin with the path of its address.
    const base = this.address.replace(/^\w+:\/\/[^/]*/, ''), target = link.startsWith(base + '/') ? link.slice(base.length) : link
    const response = await fetch(this.address + target, {...how, method, headers, body: JSON.stringify(content)})
    if (!response.ok) throw await Problem.of(response)
    return response.status === 204 ? null : response.json()
  }

  /** Changes fields of a detail; null removes a field. Changes that other clients made to other fields stay. If another
    client has given one of these fields a different value, nothing is saved: the Problem has the status 412, the current
    detail as `theirs`, and the names of the fields in conflict as `fields`. */
  async save(detail, fields) {
    try {
      return await this.send('PATCH', detail.href, fields, detail.fieldsVersion)
    } catch (problem) {
      if (problem.status !== 412) throw problem
      const theirs = await this.get(detail.href), text = value => JSON.stringify(value ?? null)
      const both = Object.keys(fields).filter(name => ![detail.fields[name], fields[name]].map(text).includes(text(theirs.fields[name])))
      if (both.length) throw Object.assign(problem, {theirs, fields: both})
      return this.save(theirs, fields)
    }
  }

  /** Calls `show(answer, state)` with a level or a detail: with the stored copy (state.isCopy), with the current
    answer, after each change, when the connection is lost (state.isLost), and when the server refuses (state.problem).
    Returns a function that ends the watch. An exception of `show` is reported, and does not end the watch. */
  watch(link, show, query = {}) {
    const key = `drilldown ${this.address} ${link} ${new URLSearchParams(query)}`
    // A detail also shows neighbours and children of its item, which are rows of two levels.
    const [path] = link.split('?'), isDetail = ROUTE.exec(path)?.[1] === 'detail', levels = isDetail ? [above(path), path] : [path]
    const load = async () => {
      const isOpen = !this.token, answer = await this.get(link, query, {signal: within(120)})
      if (!this.#watches.has(watch) || watch.isCurrent && answer.version === watch.answer?.version) return
      Object.assign(watch, {answer, isCurrent: true})
      watch.show({})
      if (isOpen) this.#stored(store => store.setItem(key, JSON.stringify(answer)))
    }
    let isReading = false, isWanted = false
    const watch = {
      answer: this.token ? null : this.#copy(key), isCurrent: false,
      isConcerned: entry => levels.some(level => concerns(entry, level, {below: !isDetail})),
      show(state) {
        try {
          show(watch.answer, state)
        } catch (error) {
          reportError(error)
        }
      },
      fail: problem => {
        watch.isCurrent = false
        // Without the right token, neither the answer nor the copy is shown any more.
        if ([401, 403].includes(problem.status)) {
          watch.answer = null
          this.#stored(store => store.removeItem(key))
        }
        watch.show(problem.status ? {problem} : {isLost: true})
      },
      // Reads the answer, and reads it again after a failure that may pass. A call during a read makes it read once more
      // afterwards: one read at a time, so that an older answer never replaces a newer answer.
      read: async () => {
        isWanted = true
        if (isReading) return
        isReading = true
        for (let attempt = 0; isWanted && this.#watches.has(watch); attempt++) {
          isWanted = false
          await load().then(() => attempt = -1, async problem => {
            if (!this.#watches.has(watch)) return
            isWanted = mayPass(problem)
            if (!isWanted) this.#stored(store => store.removeItem(key))
            watch.fail(problem)
            if (isWanted) await this.#pause(attempt, problem)
          })
        }
        isReading = false
      },
    }
    this.#watches.add(watch)
    if (watch.answer) watch.show({isCopy: true})
    if (this.#isFollowing) watch.read()
    else this.#follow()
    return () => this.#watches.delete(watch)
  }

  // Reads the answers for all watches, and reads the answer for a watch again after each change that concerns the
  // watch. Begins anew when the connection is lost, or when the server has forgotten the last revision.
  async #follow() {
    const changes = query => this.get('/changes', query, {cache: 'no-store', signal: within(45)})
    this.#isFollowing = true
    for (let attempt = 0; this.#watches.size; attempt++) {
      try {
        let last = await changes({})
        attempt = 0
        this.#resume()
        for (const watch of this.#watches) watch.read()
        while (this.#watches.size) {
          last = await changes({since: last.revision, wait: 30})
          for (const watch of this.#watches) if (last.changes.some(watch.isConcerned)) watch.read()
        }
      } catch (problem) {
        for (const watch of this.#watches) if (problem.status !== 410) watch.fail(problem)
        await this.#pause(attempt, problem)
      }
    }
    this.#isFollowing = false
  }

  // Waits before a request is repeated: as long as the server says, or a second, doubled with each attempt, up to 30
  // seconds; and up to half of that longer, so that not all clients return at once.
  #pause(attempt, {retryAfter}) {
    const isGiven = retryAfter > 0, seconds = isGiven ? Math.min(retryAfter, LONGEST_PAUSE) : Math.min(2 ** attempt, 30)
    return new Promise(resolve => {
      const end = () => {
        this.#pauses.delete(end)
        resolve()
      }
      setTimeout(end, seconds * (1 + Math.random() / 2) * 1000)
      if (!isGiven) this.#pauses.add(end)
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

// @ts-ignore: TypeScript 4.8 does not know AbortSignal.timeout.
const within = seconds => AbortSignal.timeout(seconds * 1000)

// A day, in seconds. A timer of more than 24 days ends immediately.
const LONGEST_PAUSE = 86_400

// Whether a request may succeed if it is repeated unchanged: the connection was lost, or the server is at fault or busy.
const mayPass = ({status}) => !status || status >= 500 || status === 429
