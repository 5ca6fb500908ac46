// Places in the document: their addresses, the path in the header, and the scroll positions of levels.

import {base, el, isRightToLeft, oneLine} from './elements.js'

// MARK: A place in the document: a path, the query of its level, and its address in the browser.

// Encodes a segment as in the links of the service: all characters except unreserved ones are percent-encoded.
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

// The path of a link's item, as `Place.path`. The path of a proxy may precede the first `/levels` or `/detail`.
export const itemPath = href => href.replace(/^.*?\/(levels|detail)(\/|$)/, '')

// The fields that a row is drawn with, besides its columns.
const DRAWN = ['Subtitle', 'Image', 'Value']

// The query options that only this client knows, and the options that it sets itself in requests.
const OWN =
  Object.fromEntries('show above columns format limit start after wait since'.split(' ').map(name => [name, null]))

export class Place {
  constructor(segments, query = '') {
    this.segments = segments
    this.query = query
  }

  static of(location) {
    const {pathname} = location,
      path = (pathname.startsWith(base) ? pathname.slice(base.length) : pathname).replace(/^\/browse/, '')
    return new Place(segmentsOf(path).map(segment => encodeSegment(decodeSegment(segment))), location.search.slice(1))
  }

  // The place that a link of the service leads to: `/levels/…` or `/detail/…`.
  static ofLink(href) {
    return new Place(segmentsOf(itemPath(href)))
  }

  get path() { return this.segments.join('/') }
  get level() { return '/levels/' + this.path }
  get detail() { return '/detail/' + this.path }

  get address() {
    if (this.segments.length === 0 && !this.query) return base + '/'
    return base + '/browse/' + this.path + (this.query ? '?' + this.query : '')
  }

  // The last segment as text, shown until the title is known.
  get name() { return this.segments.length ? decodeSegment(this.segments.at(-1)) : '' }

  get parent() { return this.segments.length ? this.prefix(this.segments.length - 1) : null }
  prefix(length) { return this.to(this.segments.slice(0, length)) }

  // The place of a link; see `to`.
  toLink(href) { return this.to(Place.ofLink(href).segments) }

  // Returns another place. The levels above both keep their order, groups, filters and columns.
  to(segments) {
    let shared = 0
    while (shared < segments.length && segments[shared] === this.segments[shared]) shared++
    const kept = this.#kept, query = new URLSearchParams(shared === segments.length ? kept.get(shared) : '')
    for (const [depth, order] of kept) {
      if (depth <= shared && depth < segments.length) query.append('above', `${depth}?${order}`)
    }
    return new Place(segments, query.toString())
  }

  // The queries of this level and those above it, which are the values of `above` in an address, by depth.
  get #kept() {
    const kept = new Map(this.#values.getAll('above').map(text => [parseInt(text), text.replace(/^\d*\?/, '')]))
    const own = this.setting({...OWN, columns: this.value('columns')}).query
    if (own && !this.isSearch && !this.isOutline) kept.set(this.segments.length, own)
    return kept
  }

  get #values() { return new URLSearchParams(this.query) }

  // The value of an option of the query, or null.
  value(name) { return this.#values.get(name) }

  // Returns the same place with other values for some options of the query. Null removes an option.
  setting(values) {
    const query = this.#values
    for (const [name, value] of Object.entries(values)) {
      query.delete(name)
      for (const each of value === null ? [] : [value].flat()) query.append(name, each)
    }
    return new Place(this.segments, query.toString())
  }

  // The query to send in requests for the level: all options except the options in `OWN`.
  get levelQuery() { return this.setting(OWN).query }

  // The link of the level with its query.
  get target() { return this.asking({}) }

  // The link of the level with its query and further options.
  asking(values) {
    const {query} = new Place([], this.levelQuery).setting(values)
    return this.level + (query && '?' + query)
  }

  // The item whose detail is shown beside this level, or null. The option `show` is the path from this place to the
  // item; it is empty if the detail is that of the level itself.
  get shown() {
    const below = this.value('show')
    return below === null ? null : new Place([...this.segments, ...segmentsOf(below)])
  }

  // Returns this place with a detail beside the level: of an item of or below this place, or null for none.
  showing(item) {
    return this.setting({show: item && item.segments.slice(this.segments.length).join('/')})
  }

  // Whether this place is the place of an item, or is below the item.
  isWithin({path}) { return (this.path + '/').startsWith(path + '/') }

  // All values of an option that may be repeated.
  values(name) { return this.#values.getAll(name) }

  // The names in the value of an option, such as the fields in `sort`.
  names(option) { return (this.value(option) ?? '').split(',').filter(Boolean) }

  // The fields by which the rows are sorted, without the title and the key.
  get sortFields() {
    return this.names('sort').map(name => name.replace(/^-/, '')).filter(name => !['Title', 'Key'].includes(name))
  }

  // The option `fields` that requests other fields than the short values of the rows: the fields of the columns, or all
  // for a search in fields. Empty without these, or if the address itself has the option `fields`.
  get fields() {
    if (this.value('fields') !== null) return {}
    if (this.isSearch && this.value('in')) return {fields: '*'}
    const columns = this.names('columns')
    return columns.length ? {fields: [...new Set([...DRAWN, ...this.sortFields, ...columns])].join(',')} : {}
  }

  get isSearch() { return this.#values.has('q') }
  get isOutline() { return this.#values.has('depth') || this.#values.has('expand') }
}

// The relations in conditions, each as [sign, text].
export const RELATIONS = [[':', 'is'], ['!', 'is not'], ['<', 'is less than'], ['>', 'is more than'], ['~', 'contains']]

// The conditions of a place, each as [field, sign, value].
export const conditions = place => place.values('where').map(text =>
  /^([^:!<>~]*)([:!<>~])(.*)$/s.exec(text)?.slice(1) ?? [text, ':', ''])

// MARK: The scroll position of each level, kept for this tab, so that going back and reloading show the same rows.

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

// `titles`: the titles of the items of the path; without them, the segments are shown.
export function showCrumbs(place, titles) {
  const part = (tag, attributes, name) =>
    el('li', el(tag, attributes, el(name.trim() ? 'bdi' : 'bdi.untitled', short(name))))
  const own = place.segments.length, titleAt = length => titles[length] ?? (place.prefix(length).name || 'Root')
  list.replaceChildren(
    ...place.segments.map((_, length) => part('a', {href: place.prefix(length).address}, titleAt(length))),
    part('span', {ariaCurrent: 'page'}, titles[own] ?? place.name))
  document.title = document.querySelector('h1').textContent = short(titleAt(own)) || 'Untitled'
}

// Fades the edge of a path that is not scrolled to its beginning.
const showCut = () => path.classList.toggle('cut', path.scrollLeft !== 0)

// Scrolls to the end of the path whenever its size changes. Then the browser has laid it out already.
function showEnd() {
  path.scrollLeft = path.scrollWidth * (isRightToLeft(path) ? -1 : 1)
  showCut()
}

if (path) {
  path.addEventListener('scroll', showCut)
  const observer = new ResizeObserver(showEnd)
  for (const each of [path, list]) observer.observe(each)
}

const short = text => oneLine(text.slice(0, 200)).trim() || 'Untitled'
