// Requests to the service, and its changes.

import {pauseAfter, Problem, withoutWait} from './drilldown.js'
import {addressOf, base, on} from './elements.js'

// MARK: Requests to the service. Reads are repeated until the service can be reached.

// Whether the service can be reached. Dispatches `lost` and `found`.
class Connection extends EventTarget {
  isLost = false

  set(isLost) {
    if (this.isLost === isLost) return
    this.isLost = isLost
    this.dispatchEvent(new Event(isLost ? 'lost' : 'found'))
  }

  // Waits before the next attempt; at most a second after the connection is found, unless the service set the wait.
  pause(attempt, failure, signal) {
    const over = new AbortController(), options = {signal: over.signal}
    return new Promise((resolve, reject) => {
      setTimeout(resolve, pauseAfter(failure, attempt) * 1000)
      if (!failure.retryAfter) {
        on(this, 'found', () => setTimeout(resolve, Math.random() * 1000), options)
        on(window, 'online', resolve, options)
      }
      if (signal) on(signal, 'abort', () => reject(signal.reason), options)
    }).finally(() => over.abort())
  }
}

export const connection = new Connection()

// The token of this tab. It is stored only in the session storage of the tab.
export const token = {
  get value() {
    return sessionStorage.getItem('token' + base)
  },
  set value(text) {
    if (text) sessionStorage.setItem('token' + base, text)
    else sessionStorage.removeItem('token' + base)
  },
  // Asks the user for a token. messages.js replaces this function.
  /** @type {(purpose: string, why?: string) => Promise<any>} */
  ask: async () => false,
}

// Whether reading needs a token. If so, the answer to a request for `/` without a token lacks `editable`.
export const isReadingClosed = async () => {
  const response = await fetch(base + '/', {headers: {Accept: 'application/json'}})
  return (await response.json()).editable === undefined
}

const allHeaders = headers =>
  ({Accept: 'application/json', ...(token.value && {Authorization: 'Bearer ' + token.value}), ...headers})

// Reads JSON. Integers outside the safe range become BigInt. A browser that does not pass the source text to the
// reviver (`context.source`) rounds these integers.
async function readExactly(response) {
  const text = await response.text()
  return JSON.parse(text, /\d{16}/.test(text) ? (_, value, context) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source)
      ? BigInt(context.source) : value : null)
}

// Whether caches may keep answers about levels and details without asking the service (`--cache-control`).
let isKept = false

// The link of a level or a detail, so that its answer is not older than the latest change that the page knows. No item
// has a revision as its version, so the service answers at once with the whole item.
function current(target, format) {
  if (!isKept || !live.revision) return target
  return `${target}${target.includes('?') ? '&' : '?'}since=${live.revision}&wait=1&format=${format}`
}

// The format of the answer about a level or a detail; undefined for other requests.
function formatOf(target, accept = 'application/json') {
  if (!/^\/(levels|detail)(?=[/?]|$)/.test(addressOf(target).slice(base.length))) return
  return {'application/json': 'json', 'application/x-plist': 'plist'}[accept]
}

/**
 * Repeats a request until the service has answered, and returns the result of `read`; throws a Problem for a refusal.
 * @param {string} target
 * @param {{signal?: AbortSignal, seconds?: number, cache?: RequestCache, headers?: object,
 *   read?: (response: Response) => any}} how `seconds`: the time after which an attempt has failed. It needs a signal.
 */
export async function request(target, {signal, seconds, cache, headers, read = readExactly} = {}) {
  // Throws here if `target` is not a link: a repetition would not help.
  const format = formatOf(target, headers?.Accept)
  for (let attempt = 0; ; attempt++) {
    let failure
    const sent = token.value
    // @ts-ignore TypeScript 4.8 does not know these functions.
    const limited = seconds ? AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]) : signal
    try {
      // While the connection is lost, no request waits for a change, so that the answer comes at once.
      const link = format ? current(target, format) : target
      const response = await fetch(addressOf(connection.isLost ? withoutWait(link) : link),
        {signal: limited, cache, headers: allHeaders(headers)})
      if (response.ok) {
        if (format) isKept ||= !/no-(cache|store)/.test(response.headers.get('Cache-Control') ?? 'no-cache')
        const answer = await read(response)
        connection.set(false)
        return answer
      }
      failure = await Problem.of(response)
      if (![502, 503, 504].includes(response.status)) {
        connection.set(false)
        if (response.status === 401 && (sent !== token.value || await token.ask('reading'))) continue
        throw failure
      }
    } catch (error) {
      if (error.status || signal?.aborted) throw error
      failure = error
      // An unreadable answer may come from a proxy: repeat the request, but not for ever.
      if (error.name === 'SyntaxError' && attempt > 2) {
        connection.set(false)
        throw new Problem(200, {detail: 'The answer is not what was asked for.'})
      }
    }
    connection.set(true)
    await connection.pause(attempt, failure, signal)
  }
}

const blobAt = async target =>
  URL.createObjectURL(await request(target, {headers: {Accept: '*/*'}, read: response => response.blob()}))

// Reads an image. The token is sent only if the server requires a token for this address.
async function imageAt(target) {
  const response = await fetch(addressOf(target), {headers: {Accept: 'image/*'}})
  if (response.status === 401) return blobAt(target)
  if (!response.ok) throw await Problem.of(response)
  return URL.createObjectURL(await response.blob())
}

// Image elements do not send a token. If the tab has a token, the image is read first and shown from memory.
export function showImage(target, image) {
  if (!token.value) image.src = base + target
  else imageAt(target).then(address => {
    on(image, 'load', () => URL.revokeObjectURL(address))
    image.src = address
  }, () => image.dispatchEvent(new Event('error')))
  return image
}

export async function openTab(target) {
  const address = await blobAt(target)
  open(address)
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

export const getJSON = (target, signal) => request(target, {signal})

/**
 * Sends an edit once. If the connection fails, the error of the browser is thrown, and it is not known whether the edit
 * was made.
 * @param {string} method
 * @param {string} target
 * @param {any} [content]
 * @param {{ifMatch?: string, type?: string}} how
 */
export async function send(method, target, content, {ifMatch, type} = {}) {
  const headers = allHeaders({'Content-Type': type ?? 'application/json', ...(ifMatch && {'If-Match': `"${ifMatch}"`})})
  const response = await fetch(addressOf(target),
    {method, headers, body: type || content === undefined ? content : JSON.stringify(content)})
  connection.set(false)
  if (!response.ok) throw await Problem.of(response)
  return response.json()
}

// MARK: The changes of the document.

const CHANGES = '/changes'

// Dispatches `change` (detail: the entry), `reset` (anything may have changed) and `beat` (nothing has for a while).
class Live extends EventTarget {
  // The revision of the latest answer, and the latest change, if there was one.
  revision = null
  latest = null

  // Reads `/changes`, then the `follow` of each answer. After a refusal, or an answer that cannot be used, begins anew.
  async follow() {
    for (let link = CHANGES, attempt = 0, early = 0; ;) {
      while (document.hidden) await new Promise(resolve => on(document, 'visibilitychange', resolve, {once: true}))
      const over = new AbortController(), begin = performance.now()
      // Browsers allow only few connections to one server. All tabs share them, and so do the pages that are kept for
      // the Back button. Therefore a hidden page does not wait for changes.
      on(document, 'visibilitychange', () => over.abort(), {once: true, signal: over.signal})
      try {
        // The service answers after 20 seconds if nothing changes. For an equal request of another window, a browser
        // would wait, because it may store the answer of the first.
        const {revision, changes, follow} = await request(link, {signal: over.signal, seconds: 35, cache: 'no-store'})
        this.revision = revision
        // What was read before this answer may be older.
        if (link === CHANGES) this.dispatchEvent(new Event('reset'))
        this.latest = changes.at(-1) ?? this.latest
        for (const detail of changes) this.dispatchEvent(new CustomEvent('change', {detail}))
        if (!changes.length) this.dispatchEvent(new Event('beat'))
        // A cache that answers without a change and without a wait would otherwise be asked without a pause.
        early = link !== CHANGES && !changes.length && performance.now() - begin < 1000 ? early + 1 : 0
        if (!follow) throw new Problem(200, {detail: 'The answer has no link `follow`.'})
        link = follow
        attempt = 0
        if (early) await connection.pause(early - 1, {})
      } catch (error) {
        if (over.signal.aborted) continue
        // The reader has not entered a token.
        if (error.status === 401) return
        if (error.status >= 500) connection.set(true)
        else link = CHANGES
        await connection.pause(attempt++, error)
      } finally {
        over.abort()
      }
    }
  }
}

export const live = new Live()
