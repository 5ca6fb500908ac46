// Places in the document: their addresses, the path to them, and where each level was left.

import {base, el, isRightToLeft, oneLine} from './elements.js'

// MARK: A place in the document: a path, the query of its level, and its address in the browser.

// The form of a segment that links have: unreserved characters stand, all else is percent-encoded.
function encodeSegment(text) {
  return encodeURIComponent(text).replace(/[!'()*]/g, mark => '%' + mark.charCodeAt(0).toString(16).toUpperCase())
}

export function decodeSegment(segment) {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

const segmentsOf = path => path.split('/').filter(Boolean)

// The path of a row's item, as that of a place.
export const itemPath = href => href.replace(/^\/(levels|detail)\/?/, '')

// The fields that rows show unless others are asked for.
const CELL = ['Subtitle', 'Image', 'Kind', 'View', 'Tag', 'Value', 'Type']

// What belongs to this client or is set by it.
const OWN = Object.fromEntries('show above columns format limit start after wait since'.split(' ').map(name => [name, null]))

export class Place {
  constructor(segments, query = '') {
    this.segments = segments
    this.query = query
  }

  static of(location) {
    const path = location.pathname.slice(base.length).replace(/^\/browse/, '')
    return new Place(segmentsOf(path).map(segment => encodeSegment(decodeSegment(segment))), location.search.slice(1))
  }

  // The place that a link of the service leads to: `/levels/…` or `/detail/…`.
  static ofLink(href) {
    return new Place(segmentsOf(itemPath(href)))
  }

  get path() {
    return this.segments.join('/')
  }

  get level() {
    return '/levels/' + this.path
  }

  get detail() {
    return '/detail/' + this.path
  }

  get address() {
    if (this.segments.length === 0 && !this.query) return base + '/'
    return base + '/browse/' + this.path + (this.query ? '?' + this.query : '')
  }

  // The name of the last segment, until its title is known.
  get name() {
    return this.segments.length ? decodeSegment(this.segments.at(-1)) : ''
  }

  get parent() {
    return this.segments.length ? this.prefix(this.segments.length - 1) : null
  }

  prefix(length) {
    return this.to(this.segments.slice(0, length))
  }

  // The place that a link leads to from here.
  toLink(href) {
    return this.to(Place.ofLink(href).segments)
  }

  // Another place; the levels that are above both stay as they were ordered, grouped and filtered.
  to(segments) {
    let shared = 0
    while (shared < segments.length && segments[shared] === this.segments[shared]) shared++
    const kept = this.#kept, query = new URLSearchParams(shared === segments.length ? kept.get(shared) : '')
    for (const [depth, order] of kept) {
      if (depth <= shared && depth < segments.length) query.append('above', `${depth}?${order}`)
    }
    return new Place(segments, query.toString())
  }

  // The queries of this level and of those above it, by their depth: `above` has them in the address.
  get #kept() {
    const kept = new Map(this.#values.getAll('above').map(text => [parseInt(text), text.replace(/^\d*\?/, '')]))
    if (this.levelQuery && !this.isSearch && !this.isOutline) kept.set(this.segments.length, this.levelQuery)
    return kept
  }

  get #values() {
    return new URLSearchParams(this.query)
  }

  // A value of the query, or null.
  value(name) {
    return this.#values.get(name)
  }

  // The same place with some values of the query set, or removed where they are null.
  setting(values) {
    const query = this.#values
    for (const [name, value] of Object.entries(values)) {
      query.delete(name)
      for (const each of value === null ? [] : [value].flat()) query.append(name, each)
    }
    return new Place(this.segments, query.toString())
  }

  // The query that the level is asked with: all but what only this client knows or sets.
  get levelQuery() {
    return this.setting(OWN).query
  }

  // The link of the level in its order.
  get target() {
    return this.asking({})
  }

  // That link with further values.
  asking(values) {
    const {query} = new Place([], this.levelQuery).setting(values)
    return this.level + (query && '?' + query)
  }

  // The item whose detail is shown beside its level: `show` is its path below this one; empty is this one itself.
  get shown() {
    const below = this.value('show')
    return below === null ? null : new Place([...this.segments, ...segmentsOf(below)])
  }

  // This place, with the detail of an item at or below it.
  showing(item) {
    return this.setting({show: item && item.segments.slice(this.segments.length).join('/')})
  }

  // Whether this is an item's place, or one below it.
  isWithin({path}) {
    return (this.path + '/').startsWith(path + '/')
  }

  // All values of an option that may be repeated.
  values(name) {
    return this.#values.getAll(name)
  }

  // The names of an option of the query, such as the fields of the order.
  names(option) {
    return (this.value(option) ?? '').split(',').filter(Boolean)
  }

  // The fields by which the rows are sorted, without the title and the key.
  get sortFields() {
    return this.names('sort').map(name => name.replace(/^-/, '')).filter(name => !['Title', 'Key'].includes(name))
  }

  // The fields that rows show beside their usual ones: the fields of the order, of the columns and of the search.
  get fields() {
    if (this.value('fields') !== null) return {}
    if (this.isSearch && this.value('in')) return {fields: '*'}
    const names = [...this.sortFields, ...this.names('columns')]
    return names.length ? {fields: [...new Set([...CELL, ...names])].join(',')} : {}
  }

  get isSearch() {
    return this.#values.has('q')
  }

  get isOutline() {
    return this.#values.has('depth') || this.#values.has('expand')
  }
}

// The conditions of a place, each as [field, sign, value].
export const conditions = place => place.values('where').map(text =>
  /^([^:!<>~]*)([:!<>~])(.*)$/s.exec(text)?.slice(1) ?? [text, ':', ''])

// MARK: Where each level was left, for this tab: going back and reloading lead to the same rows.

const KEPT = 200

function stored() {
  try {
    return new Map(JSON.parse(sessionStorage.getItem('positions' + base) ?? '[]'))
  } catch {
    return new Map()
  }
}

const all = stored()

export const positions = {
  get: target => all.get(target),
  set(target, position) {
    all.delete(target)
    all.set(target, position)
    while (all.size > KEPT) all.delete(all.keys().next().value)
  },
  store: () => sessionStorage.setItem('positions' + base, JSON.stringify([...all])),
}

addEventListener('pagehide', positions.store)

// MARK: The path to the place that is shown, as links.

const path = document.querySelector('.crumbs'), list = path?.querySelector('ol')

// `ancestors`: as in an answer; until there is one, the segments stand for the titles.
export function showCrumbs(place, ancestors, title) {
  const part = (tag, attributes, name) => el('li', el(tag, attributes, el(name.trim() ? 'bdi' : 'bdi.untitled', short(name))))
  list.replaceChildren(
    ...place.segments.map((_, length) => {
      const above = place.prefix(length)
      return part('a', {href: above.address}, ancestors?.[length]?.title ?? (above.name || 'Root'))
    }),
    part('span', {ariaCurrent: 'page'}, title ?? place.name))
  showEnd()
  document.title = document.querySelector('h1').textContent = short(title ?? (place.name || 'Root')) || 'Untitled'
}

// An edge of the path that can be scrolled fades.
const showCut = () => path.classList.toggle('cut', path.scrollLeft !== 0)

// The end of the path is what is seen first, also after there is less room for it.
function showEnd() {
  path.scrollLeft = path.scrollWidth * (isRightToLeft(path) ? -1 : 1)
  showCut()
}

if (path) {
  path.addEventListener('scroll', showCut)
  new ResizeObserver(showEnd).observe(path)
}

const short = text => oneLine(text.slice(0, 200)).trim() || 'Untitled'
