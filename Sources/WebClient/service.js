// Requests to the service, and the stream of changes.

import {Problem} from './drilldown.js'
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

  // Waits before the next attempt. The wait doubles with each attempt, up to 4 seconds. After the connection is found,
  // at most a quarter of the wait remains.
  pause(attempt, signal) {
    const over = new AbortController(), options = {signal: over.signal}
    const most = Math.min(250 * 2 ** attempt, 4000)
    return new Promise((resolve, reject) => {
      setTimeout(resolve, most)
      on(this, 'found', () => setTimeout(resolve, most / 4), options)
      on(window, 'online', resolve, options)
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
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source) ? BigInt(context.source) : value : null)
}

/**
 * Repeats a request until the service has answered, and returns the result of `read`; throws a Problem for a refusal.
 * @param {string} target
 * @param {{signal?: AbortSignal, headers?: object, read?: (response: Response) => any}} how
 */
export async function request(target, {signal, headers, read = readExactly} = {}) {
  for (let attempt = 0; ; attempt++) {
    try {
      const sent = token.value
      const response = await fetch(addressOf(target), {signal, headers: allHeaders(headers)})
      if (response.ok) {
        const answer = await read(response)
        connection.set(false)
        return answer
      }
      if (![502, 503, 504].includes(response.status)) {
        connection.set(false)
        if (response.status === 401 && (sent !== token.value || await token.ask('reading'))) continue
        throw await Problem.of(response)
      }
    } catch (error) {
      if (error.status || signal?.aborted) throw error
      // An unreadable answer may come from a proxy: repeat the request, but not for ever.
      if (error.name !== 'TypeError' && attempt > 2) {
        connection.set(false)
        throw new Problem(200, {detail: 'The answer is not what was asked for.'})
      }
    }
    connection.set(true)
    await connection.pause(attempt, signal)
  }
}

const blobAt = async target => URL.createObjectURL(await request(target, {headers: {Accept: '*/*'}, read: response => response.blob()}))

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
  const response = await fetch(addressOf(target), {method, headers, body: type || content === undefined ? content : JSON.stringify(content)})
  connection.set(false)
  if (!response.ok) throw await Problem.of(response)
  return response.json()
}

// MARK: The event stream of changes, which is resumed after each interruption.

/** Yields the events of a stream (WHATWG HTML, section 9.2.6) as {type, id, data}. The service sends a heartbeat every
  15 seconds; a stream that is silent for more than twice that time is broken, and ends. */
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

// Dispatches `change` (detail: the entry), `reset` (anything may have changed) and `beat` (a sign of life).
class Live extends EventTarget {
  #revision = null

  async follow() {
    for (let attempt = 0; ; attempt++) {
      while (document.hidden) await new Promise(resolve => on(document, 'visibilitychange', resolve, {once: true}))
      try {
        for await (const event of this.#events()) {
          attempt = 0
          this.#take(event)
        }
      } catch (error) {
        // The service does not know the revision any more: begin again with the newest revision.
        if (error.status === 410) this.#reset()
        else if (error.status < 500) return
      }
      if (document.hidden) continue
      connection.set(true)
      await connection.pause(attempt)
    }
  }

  #reset() {
    this.#revision = null
    this.dispatchEvent(new Event('reset'))
  }

  #take({type, id, data}) {
    if (type === 'reset') return this.#reset()
    if (id) {
      // The first event names the current revision. Answers that were read before this event may be older.
      if (this.#revision === null) this.dispatchEvent(new Event('reset'))
      this.#revision = id
    }
    if (type === 'change') this.dispatchEvent(new CustomEvent('change', {detail: JSON.parse(data)}))
    else this.dispatchEvent(new Event('beat'))
  }

  async *#events() {
    const headers = {Accept: 'text/event-stream', ...(this.#revision && {'Last-Event-ID': this.#revision})}
    const over = new AbortController()
    // Browsers allow only few connections to one server. All tabs share them, and so do the pages that are kept for the
    // Back button. Therefore a hidden page closes its stream.
    on(document, 'visibilitychange', () => over.abort(), {once: true, signal: over.signal})
    try {
      yield* events(await request('/changes', {headers, signal: over.signal, read: response => response.body}))
    } finally {
      over.abort()
    }
  }
}

export const live = new Live()
