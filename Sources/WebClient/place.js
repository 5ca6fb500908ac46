// Places in the document: their addresses, the path to them, and where each level was left.

import {el, oneLine} from './elements.js'

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

const segmentsOf = path => path.split('/').filter(segment => segment !== '')

export class Place {
  constructor(segments, query) {
    this.segments = segments
    this.query = query ?? ''
  }

  static of(location) {
    const path = location.pathname.replace(/^\/browse/, '')
    const segments = segmentsOf(path).map(segment => encodeSegment(decodeSegment(segment)))
    return new Place(segments, location.search.replace(/^\?/, ''))
  }

  // The place that a link of the service leads to: `/levels/…` or `/detail/…`.
  static ofLink(href, query) {
    return new Place(segmentsOf(href.replace(/^\/(levels|detail)/, '').split('?')[0]), query)
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
    if (this.segments.length === 0 && !this.query) return '/'
    return '/browse/' + this.path + (this.query ? '?' + this.query : '')
  }

  // The name of the last segment, until its title is known.
  get name() {
    return this.segments.length ? decodeSegment(this.segments.at(-1)) : ''
  }

  get parent() {
    return this.segments.length ? new Place(this.segments.slice(0, -1)) : null
  }

  prefix(length) {
    return new Place(this.segments.slice(0, length))
  }

  with(query) {
    return new Place(this.segments, query)
  }

  // A value of the query, or null.
  value(name) {
    return new URLSearchParams(this.query).get(name)
  }

  // The same place with some values of the query set, or removed where they are null.
  setting(values) {
    const query = new URLSearchParams(this.query)
    for (const [name, value] of Object.entries(values)) {
      query.delete(name)
      for (const each of value === null ? [] : [value].flat()) query.append(name, each)
    }
    return this.with(query.toString())
  }

  // The query that the level is asked with: all but `show`, which only this client knows.
  get levelQuery() {
    return this.setting({show: null}).query
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

  get isSearch() {
    return this.value('q') !== null
  }

  get isOutline() {
    const query = new URLSearchParams(this.query)
    return query.has('depth') || query.has('expand')
  }
}

// MARK: Where each level was left, for this tab: going back and reloading lead to the same rows.

const KEPT = 200

function stored() {
  try {
    return new Map(JSON.parse(sessionStorage.getItem('positions') ?? '[]'))
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
  store: () => sessionStorage.setItem('positions', JSON.stringify([...all])),
}

addEventListener('pagehide', positions.store)

// MARK: The path to the place that is shown, as links.

const list = document.querySelector('.crumbs ol')

// `ancestors`: as in an answer; until there is one, the segments stand for the titles.
export function showCrumbs(place, ancestors, title) {
  const above = ancestors?.map(each => [each.title, Place.ofLink(each.href)])
    ?? place.segments.map((_, length) => [place.prefix(length).name || 'Root', place.prefix(length)])
  list.replaceChildren(
    ...above.map(([name, target]) => el('li', el('a', {href: target.address}, el('bdi', short(name))))),
    el('li', el('span', {'aria-current': 'page'}, el('bdi', short(title ?? place.name)))))
  list.parentNode.scrollLeft = list.parentNode.scrollWidth
  document.title = document.querySelector('h1').textContent = short(title ?? (place.name || 'Root')) || 'Untitled'
}

const short = text => oneLine(text.slice(0, 200)) || '…'
