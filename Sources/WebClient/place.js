// A place in the document: a path, the query of its level, and its address in the browser.

// The form of a segment that links have: unreserved characters stand, all else is percent-encoded.
export function encodeSegment(text) {
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
