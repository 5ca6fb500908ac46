// A client of this service for web pages, without a build step: levels, details, live updates, edits, and copies for
// the time without a connection. Use it with `import {Drilldown} from '/client/drilldown.js'`. The exports follow
// semantic versioning. The manual has examples.

export const version = '1.0.0'

/** The error of a refused request. `status` is the status of the answer, and `body` is the problem. */
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

const pathOf = link => link.replace(/^\/(levels|detail)/, '').replace(/\/$/, '')
const above = path => path.replace(/\/[^/]*$/, '')

/** Returns whether an entry of `/changes` may concern a row of a level or any field of the rows; with `below`, also
  any item below these rows. */
export function concerns({truncated, levels, details}, level, {below = false} = {}) {
  const path = pathOf(level), changed = [...levels.map(pathOf), ...details.map(link => above(pathOf(link)))]
  return Boolean(truncated) || changed.some(each => each === path || below && each.startsWith(path + '/'))
}

export class Drilldown {
  #watches = new Set()
  #isFollowing = false

  /** `address`: the address of the service. `token`: the token for reading or edits, which may be set later. `store`:
    the storage for copies, or null to keep no copies. */
  constructor({address = new URL('..', import.meta.url).href, token = null, store = globalThis.localStorage} = {}) {
    this.address = address.replace(/\/$/, '')
    this.token = token
    this.store = store
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
    const response = await fetch(this.address + link, {...how, method, headers, body: JSON.stringify(content)})
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
    Returns a function that ends the watch. */
  watch(link, show, query = {}) {
    const key = `drilldown ${this.address} ${link} ${new URLSearchParams(query)}`, kept = JSON.parse(this.store?.getItem(key) ?? 'null')
    // A detail also shows neighbours and children of its item, which are rows of two levels.
    const [path] = link.split('?'), isDetail = path.startsWith('/detail'), levels = isDetail ? [above(path), path] : [path]
    const load = async () => {
      try {
        const answer = await this.get(link, query)
        if (!this.#watches.has(watch) || watch.isCurrent && answer.version === watch.answer?.version) return
        Object.assign(watch, {answer, isCurrent: true})
        watch.show({})
        this.store?.setItem(key, JSON.stringify(answer))
      } catch (problem) {
        if (this.#watches.has(watch) && problem.status) watch.show({problem})
      }
    }
    let reading = Promise.resolve()
    const watch = {
      answer: kept, isCurrent: false, show: state => show(watch.answer, state),
      // Reads run one after the other, so that an older answer never replaces a newer answer.
      read: () => reading = reading.then(load),
      isConcerned: entry => levels.some(level => concerns(entry, level, {below: !isDetail}))}
    this.#watches.add(watch)
    if (kept) watch.show({isCopy: true})
    if (this.#isFollowing) watch.read()
    else this.#follow()
    return () => this.#watches.delete(watch)
  }

  // Reads the answers for all watches, and reads the answer for a watch again after each change that concerns the
  // watch. Begins anew when the connection is lost, or when the server has forgotten the last revision.
  async #follow() {
    // @ts-ignore: TypeScript 4.8 does not know AbortSignal.timeout.
    const changes = query => this.get('/changes', query, {cache: 'no-store', signal: AbortSignal.timeout(45_000)})
    for (this.#isFollowing = true; this.#watches.size;) {
      try {
        let last = await changes({})
        for (const watch of this.#watches) watch.read()
        while (this.#watches.size) {
          last = await changes({since: last.revision, wait: 30})
          for (const watch of this.#watches) if (last.changes.some(watch.isConcerned)) watch.read()
        }
      } catch (problem) {
        if (!problem.status) for (const watch of this.#watches) watch.isCurrent = false
        for (const watch of this.#watches) if (problem.status !== 410) watch.show(problem.status ? {problem} : {isLost: true})
      }
      await new Promise(resolve => setTimeout(resolve, 1000))
    }
    this.#isFollowing = false
  }
}
