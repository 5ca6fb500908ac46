// Follows the changes of the document by the event stream, and takes it up again whenever it breaks off.

import {connection, request} from './api.js'

// Dispatches `change` (detail: the entry), `reset` (anything may have changed) and `beat` (a sign of life).
class Live extends EventTarget {
  #revision = null

  async follow() {
    for (let attempt = 0; ; attempt++) {
      try {
        for await (const event of this.#events()) {
          attempt = 0
          this.#take(event)
        }
      } catch (error) {
        // A revision that the service does not know any more: begin again with the newest.
        if (error.status === 410) this.#reset()
        else if (error.status) return
      }
      connection.failed()
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
      // The first revision that is told: what was read before it may be older.
      if (this.#revision === null) this.dispatchEvent(new Event('reset'))
      this.#revision = id
    }
    if (type === 'change') this.dispatchEvent(new CustomEvent('change', {detail: JSON.parse(data)}))
    else this.dispatchEvent(new Event('beat'))
  }

  // Reads the stream's events (WHATWG HTML, section 9.2.6). A heartbeat is an event without anything in it.
  async *#events() {
    const headers = {Accept: 'text/event-stream'}
    if (this.#revision) headers['Last-Event-ID'] = this.#revision
    const response = await request('/changes', {headers})
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    let rest = ''
    for (;;) {
      const {done, value} = await reader.read()
      if (done) return
      const blocks = (rest + value).replace(/\r\n?/g, '\n').split('\n\n')
      rest = blocks.pop()
      for (const block of blocks) yield parse(block)
    }
  }
}

function parse(block) {
  const event = {type: 'message', id: null, data: ''}
  for (const line of block.split('\n')) {
    const [, name, value] = /^([^:]*):? ?(.*)$/.exec(line)
    if (name === 'event') event.type = value
    else if (name === 'id') event.id = value
    else if (name === 'data') event.data += value
  }
  return event
}

export const live = new Live()

// Whether an entry of `/changes` may concern the level at a link, or anything below it.
export function concerns(entry, href, {below = false} = {}) {
  if (entry.truncated) return true
  const base = href.replace(/\/$/, '')
  const isAtOrBelow = link => link.replace(/\/$/, '') === base || link.startsWith(base + '/')
  return below ? entry.levels.some(isAtOrBelow) : entry.levels.some(link => link.replace(/\/$/, '') === base)
}
