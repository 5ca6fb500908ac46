// Requests to the service. Reading never gives up: while the service cannot be reached it waits and asks again.

export class Problem extends Error {
  constructor(status, body) {
    super(body.detail ?? body.title ?? `The server answered with status ${status}.`)
    this.status = status
    this.body = body
  }

  static async of(response) {
    return new Problem(response.status, await response.json().catch(() => ({})))
  }
}

// Whether the service can be reached. Dispatches `lost` and `found`.
class Connection extends EventTarget {
  isLost = false

  answered() {
    if (!this.isLost) return
    this.isLost = false
    this.dispatchEvent(new Event('found'))
  }

  failed() {
    if (this.isLost) return
    this.isLost = true
    this.dispatchEvent(new Event('lost'))
  }

  // Waits before the next attempt: longer each time, and no longer than until the connection is found again.
  pause(attempt, signal) {
    return new Promise((resolve, reject) => {
      const over = new AbortController()
      const end = action => () => {
        clearTimeout(timer)
        over.abort()
        action()
      }
      const timer = setTimeout(end(resolve), Math.min(250 * 2 ** attempt, 4000))
      this.addEventListener('found', end(resolve), {signal: over.signal})
      addEventListener('online', end(resolve), {signal: over.signal})
      signal?.addEventListener('abort', end(() => reject(signal.reason)), {signal: over.signal})
    })
  }
}

export const connection = new Connection()

// The token of this tab; it is never stored elsewhere.
export const token = {
  get value() {
    return sessionStorage.getItem('token')
  },
  set value(text) {
    if (text) sessionStorage.setItem('token', text)
    else sessionStorage.removeItem('token')
  },
  // Asks the reader for a token; set by the module that has the dialog.
  ask: async () => false,
}

const authorization = () => (token.value ? {Authorization: 'Bearer ' + token.value} : {})

// Asks until there is an answer; throws a Problem for one that is an error.
export async function request(target, {signal, headers} = {}) {
  for (let attempt = 0; ; attempt++) {
    let response
    try {
      response = await fetch(target, {signal, headers: {Accept: 'application/json', ...authorization(), ...headers}})
    } catch (error) {
      if (signal?.aborted) throw error
    }
    if (response && ![502, 503, 504].includes(response.status)) {
      connection.answered()
      if (response.ok) return response
      if (response.status === 401 && await token.ask('reading')) continue
      throw await Problem.of(response)
    }
    connection.failed()
    await connection.pause(attempt, signal)
  }
}

export async function getJSON(target, signal) {
  const response = await request(target, {signal})
  try {
    return await response.json()
  } catch (error) {
    if (signal?.aborted) throw error
    return getJSON(target, signal)
  }
}

// Sends an edit once. A failure to reach the service is thrown as it is: whether the edit was done is not known.
export async function send(method, target, content, {ifMatch, type} = {}) {
  const headers = {Accept: 'application/json', ...authorization()}
  if (ifMatch) headers['If-Match'] = `"${ifMatch}"`
  if (content !== undefined) headers['Content-Type'] = type ?? 'application/json'
  const body = content === undefined || type ? content : JSON.stringify(content)
  const response = await fetch(target, {method, headers, body})
  connection.answered()
  if (!response.ok) throw await Problem.of(response)
  return response.status === 204 ? null : response.json()
}
