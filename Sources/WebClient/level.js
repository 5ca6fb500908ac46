// A level as far as it has been read: its head, its sections, and the rows that were needed.

import {Place} from './place.js'
import {getJSON} from './service.js'

const PAGE = 100
// The rows of a page that is read and not kept.
const LONG_PAGE = 1000
// If a level has more sections than this, all sections are read with a separate request after the first rows.
const SECTIONS = '100'
// The maximum number of kept pages. Beyond it, the page furthest from the latest page is dropped.
const KEPT_PAGES = 20
// How many rows the level of a record shows of each list that refers to the record, and of how many lists.
const FIRST_ROWS = 5
const MOST_LISTS = 20

export class Level {
  head = null
  pages = new Map()
  // On the level of a record of a table, the link of the record. Each list that refers to it is a section, whose first
  // rows are a page.
  record = null

  constructor(place) {
    this.place = place
  }

  #loading = new Map()

  get count() { return this.head?.count ?? 0 }

  row(index) {
    const number = this.#pageOf(index)
    return this.pages.get(number)?.[index - this.#startOf(number)]
  }

  #pageOf(index) {
    return this.record ? this.head.sections.findLastIndex(({start}) => start <= index) : Math.floor(index / PAGE)
  }

  #startOf(number) { return this.record ? this.head.sections[number].start : number * PAGE }

  // The loaded rows as [index, row], in order.
  *loaded() {
    for (const number of [...this.pages.keys()].sort((a, b) => a - b)) {
      for (const [offset, row] of this.pages.get(number).entries()) if (row) yield [this.#startOf(number) + offset, row]
    }
  }

  indexOf(href) {
    for (const [index, row] of this.loaded()) if (row.href === href) return index
    return -1
  }

  target(values) { return this.place.asking({...this.place.fields, ...values}) }

  // Reads pages. By default, the answer contains only the sections of the rows on these pages.
  #page(number, signal, pages = 1, sections = 'page') {
    return getJSON(this.record ? `${this.head.sections[number].href}?limit=${FIRST_ROWS}`
      : this.target({limit: PAGE * pages, start: number * PAGE, sections}), signal)
  }

  // Reads the head and the pages around a row, all in one answer. Rows that were read before are forgotten.
  async open(row = 0, signal, span = 0) {
    let from = Math.max(0, Math.floor((row - span) / PAGE)), answer
    const count = Math.floor((row + span) / PAGE) - from + 1
    try {
      answer = await this.#page(from, signal, count, SECTIONS)
    } catch (error) {
      // The level has become shorter.
      if (!error.status || error.body.parameter !== 'start') throw error
      from = 0
      answer = await this.#page(0, signal, count, SECTIONS)
    }
    this.abandon()
    this.pages = new Map()
    this.record = await this.#recordOf(answer, signal)
    if (this.record) return this.#refer(answer)
    for (let page = 0; page * PAGE < Math.max(1, answer.rows.length); page++)
      this.pages.set(from + page, answer.rows.slice(page * PAGE, (page + 1) * PAGE))
    this.#take(answer)
  }

  // A record has lists without fields of their own, and can have several paths.
  async #recordOf({count, rows}, signal) {
    const isLists = count > 0 && count <= MOST_LISTS && !this.place.levelQuery && this.place.segments.length > 1
      && rows.every(({leaf, error, fields}) => !leaf && !error && !Object.keys(fields).length)
    return isLists ? (await getJSON(this.place.detail, signal)).canonical ?? null : null
  }

  // Shows the rows of an answer as the heads of sections; see `record`.
  #refer({rows, ...head}) {
    let start = 0
    const sections = rows.map(({title, href, count: total}, number) => {
      const section = {title, href, total, index: null, start, count: Math.min(total, FIRST_ROWS)}
      if (!total) this.pages.set(number, [])
      start += section.count
      return section
    })
    this.head = {...head, sections, count: start}
  }

  // Takes an answer without its rows. Rows of other pages are in sections without a title until all are read.
  #take({rows, ...head}) {
    this.head = head
    if (!head.sectionCount) return
    const rest = (start, end) => start < end ? [{start, count: end - start}] : []
    const {sections, count} = head
    head.sections = [...rest(0, sections[0].start), ...sections, ...rest(endOf(sections), count)]
  }

  // Reads all sections if the first answer had only some. Returns whether they were replaced.
  async divide(signal) {
    if (!this.head.sectionCount) return false
    const {sections} = await getJSON(this.target({limit: 1, start: 0, fields: ''}), signal)
    // If the sections have another total number of rows, they are from a newer state, which will be read soon.
    if (endOf(sections) !== this.count) return false
    this.head = {...this.head, sections, sectionCount: undefined}
    return true
  }

  // Reads all rows of a range with the versions of their fields. Resolves to null if the level changes meanwhile.
  async range(first, last) {
    const rows = [], {count} = this
    while (first + rows.length <= last) {
      const answer = await getJSON(this.target({fields: '*', limit: Math.min(LONG_PAGE, last + 1 - first - rows.length),
        start: first + rows.length, sections: 'page'}))
      if (answer.count !== count || !answer.rows.length) return null
      rows.push(...answer.rows.map(({href, title, count, fieldsVersion}) => ({href, title, count, fieldsVersion})))
    }
    return new Set(rows.map(({href}) => href)).size === rows.length ? rows : null
  }

  // Reads the missing pages of a range of rows, and aborts requests for other pages. `done(isOther)` is called for each
  // page. `isOther`: whether the level has changed meanwhile.
  need(first, last, done) {
    const from = this.#pageOf(first), to = this.#pageOf(last)
    for (const [number, controller] of this.#loading) {
      if (number < from || number > to) {
        controller.abort()
        this.#loading.delete(number)
      }
    }
    for (let number = from; number <= to; number++) {
      if (this.pages.has(number) || this.#loading.has(number) || this.#startOf(number) >= this.count) continue
      const controller = new AbortController()
      this.#loading.set(number, controller)
      this.#page(number, controller.signal).then(answer => {
        if (this.#loading.get(number) !== controller) return
        this.#loading.delete(number)
        // If a row is on two pages, it was moved between the requests: the pages are of different states.
        const known = new Set([...this.loaded()].map(([, row]) => row.href))
        const count = this.record ? this.head.sections[number].total : this.count
        const isOther = answer.count !== count || answer.rows.some(row => known.has(row.href))
        if (!isOther) this.#keep(number, answer.rows)
        done(isOther)
      }, error => {
        if (this.#loading.get(number) === controller) this.#loading.delete(number)
        if (!controller.signal.aborted) done(Boolean(error.status))
      })
    }
  }

  #keep(number, rows) {
    this.pages.set(number, rows)
    if (this.pages.size <= KEPT_PAGES) return
    const furthest = [...this.pages.keys()].sort((a, b) => Math.abs(b - number) - Math.abs(a - number))[0]
    this.pages.delete(furthest)
  }

  abandon() {
    for (const controller of this.#loading.values()) controller.abort()
    this.#loading.clear()
  }

  // Reads the present state as a new level, which has the rows around the present index of the row `anchor`.
  async refreshed(anchor, span, signal) {
    const next = new Level(this.place)
    await next.open(await this.#presentIndex(anchor, signal), signal, span)
    if (next.record) await Promise.all([...this.pages.keys()].filter(number => next.head.sections[number]?.count)
      .map(async number => next.#keep(number, (await next.#page(number, signal)).rows)))
    await next.divide(signal)
    return next
  }

  // The present index of a row: from its detail, if the level is long and in the order of the document.
  async #presentIndex(anchor, signal) {
    if (!anchor) return 0
    if (this.place.levelQuery || this.count <= PAGE) return anchor.index
    return await positionOf(Place.ofLink(anchor.href), signal) ?? anchor.index
  }
}

const endOf = sections => sections.at(-1).start + sections.at(-1).count

// The index of an item on its level; undefined if the service refuses, for example because the item was deleted.
export async function positionOf(place, signal) {
  try {
    return (await getJSON(place.detail, signal)).position.index
  } catch (error) {
    if (!error.status) throw error
  }
}
