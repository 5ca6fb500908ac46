// A client of this service for web pages, without a build step: levels, details, live updates, edits, and copies for the
// time without a connection. `import {Drilldown} from '/client/drilldown.js'`. What is exported changes as semantic
// versioning says; the manual has examples.

export const version = '1.0.0'

/** An answer that is an error: its status, and the problem as `body`. */
export class Problem extends Error {
  constructor(status, body) {
    super(body.detail ?? body.title ?? (status === 414 ? 'The address is too long.' : `The server answered with status ${status}.`))
    this.status = status
    this.body = body
  }

  static async of(response) {
    return new Problem(response.status, await response.json().catch(() => ({})))
  }
}

/** The events of a stream (WHATWG HTML, section 9.2.6) as {type, id, data}. The service gives a sign of life every 15 seconds:
  a stream that is quiet for more than twice that is dead, and ends. */
export async function* events(body, silence = 35_000) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      let timer
      const quiet = new Promise(resolve => timer = setTimeout(resolve, silence, {done: true}))
      const {done, value} = await Promise.race([reader.read(), quiet]).finally(() => clearTimeout(timer))
      if (done) return
      const blocks = (rest + value).split('\n\n')
      rest = blocks.pop()
      for (const block of blocks) {
        const lines = block.split('\n').map(line => /^([^:]*):? ?(.*)$/.exec(line).slice(1)), {event, id, data} = Object.fromEntries(lines)
        yield {type: event ?? 'message', id: id ?? null, data: data ?? ''}
      }
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}

/** Whether an entry of `/changes` may concern what a link leads to, or for a level anything below it. */
export function concerns({truncated, levels, details}, href, {below = false} = {}) {
  const [base, ...links] = [href, ...levels, ...details].map(link => link.replace(/\/$/, ''))
  return Boolean(truncated) || links.some(link => link === base || below && link.startsWith(base + '/'))
}

export class Drilldown {
  #watches = new Set()

  /** `address`: that of the service; `token`: for reading or edits; `store`: where copies are kept, or null. A change of `token` counts from the next request. */
  constructor({address = new URL('..', import.meta.url).href, token = null, store = globalThis.localStorage} = {}) {
    this.address = address.replace(/\/$/, '')
    this.token = token
    this.store = store
  }

  #fetch(link, how = {}) {
    return fetch(this.address + link, {...how, headers: {Accept: 'application/json', ...(this.token && {Authorization: `Bearer ${this.token}`}), ...how.headers}})
  }

  /** The answer to a link, such as '/levels/' or the `href` of a row, with options of the query, such as {sort: '-Title'}. */
  get(link, query = {}) {
    const options = new URLSearchParams(query).toString()
    return this.send('GET', options ? `${link}${link.includes('?') ? '&' : '?'}${options}` : link)
  }

  /** Sends a request once; `tag`: the version that must still be there. Throws a Problem, or a TypeError without a connection. */
  async send(method, link, content, tag) {
    const response = await this.#fetch(link, {method, body: content && JSON.stringify(content), headers: {
      ...(content && {'Content-Type': 'application/json'}), ...(tag && {'If-Match': `"${tag}"`})}})
    if (!response.ok) throw await Problem.of(response)
    return response.json()
  }

  /** Changes fields of a detail; null removes one. What others changed in other fields stays. If they changed one of these
    fields to another value, nothing is saved: the Problem has status 412, their detail as `theirs`, and the names as `fields`. */
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

  /** Calls `show(answer, state)` with a level or a detail: with the copy that is kept (state.isCopy), with what is read, after each
    change, and when the connection is lost (state.isLost) or the answer is an error (state.problem). Gives a function that ends it. */
  watch(link, show, query = {}) {
    const key = `drilldown ${this.address} ${link} ${new URLSearchParams(query)}`, kept = JSON.parse(this.store?.getItem(key) ?? 'null')
    // A detail changes with its neighbours and its children too.
    const [path] = link.split('?'), parts = /^\/detail(\/.*?)?\/[^/]*$/.exec(path)
    const near = parts ? [`/levels${parts[1] ?? ''}`, path.replace('/detail', '/levels')] : []
    const isConcerned = entry => concerns(entry, path, {below: true}) || near.some(each => concerns(entry, each))
    const watch = {isConcerned, answer: kept, reading: Promise.resolve(), show: state => show(watch.answer, state), read: async () => {
      try {
        const answer = await this.get(link, query)
        if (!this.#watches.has(watch)) return
        if (watch.isRead && !watch.isLost && answer.version === watch.answer?.version) return
        Object.assign(watch, {answer, isRead: true, isLost: false})
        watch.show({})
        this.store?.setItem(key, JSON.stringify(answer))
      } catch (problem) {
        if (this.#watches.has(watch) && problem.status) watch.show({problem})
      }
    }}
    this.#watches.add(watch)
    if (kept) watch.show({isCopy: true})
    if (this.#isFollowing) this.#read(watch)
    else this.#follow()
    return () => {
      this.#watches.delete(watch)
      if (!this.#watches.size) this.#over.abort()
    }
  }

  // One after the other, so that an older answer never replaces a newer one.
  #read(watch) {
    watch.reading = watch.reading.then(watch.read)
  }

  #isFollowing = false
  #over = new AbortController()

  async #follow() {
    for (this.#isFollowing = true; this.#watches.size;) {
      try {
        this.#over = new AbortController()
        const response = await this.#fetch('/changes', {signal: this.#over.signal, headers: {Accept: 'text/event-stream'}})
        if (!response.ok) throw await Problem.of(response)
        for (const watch of this.#watches) this.#read(watch)
        for await (const {type, data} of events(response.body)) {
          const entry = type === 'change' ? JSON.parse(data) : {truncated: type === 'reset', levels: [], details: []}
          for (const watch of this.#watches) if (watch.isConcerned(entry)) this.#read(watch)
        }
      } catch (problem) {
        for (const watch of this.#watches) watch.show(problem.status ? {problem} : {isLost: watch.isLost = true})
      }
      await new Promise(resolve => setTimeout(resolve, 1000))
    }
    this.#isFollowing = false
  }
}
