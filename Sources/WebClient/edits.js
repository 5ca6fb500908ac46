// Functions that send edits, and functions that read the data for edits.

import {decodeSegment, Place} from './place.js'
import {plist, readPlist} from './plist.js'
import {getJSON, send, token} from './service.js'

export const keyOf = href => decodeSegment(href.split('/').at(-1))

const string = value => ({type: 'string', value})

export const dictionary = value => ({type: 'dictionary', value})

export const same = (one, other) => JSON.stringify(one) === JSON.stringify(other)

// Reads a detail for an edit, with a single attempt. Without a connection, the read fails immediately, so that the edit
// is not made at some later time, when nobody expects it.
export const readNow = place => send('GET', place.detail)

/**
 * Sends an edit; asks for another token if the present token is refused.
 * @param {Parameters<typeof send>} request
 */
export async function edit(...request) {
  for (;;) {
    try {
      return await send(...request)
    } catch (error) {
      if (![401, 403].includes(error.status)
        || !await token.ask('editing', 'Your token does not allow edits any more.')) throw error
    }
  }
}

// Sends edits as one batch. Resolves to the items' places; null for a deleted item. `type`: for steps that are property
// lists.
export async function batch(steps, type) {
  const body = type ? plist(dictionary([['edits', {type: 'array', value: steps}]])) : {edits: steps}
  const {edits} = await edit('POST', '/edits', body, {type})
  return edits.map(each => each && Place.ofLink(each.href))
}

// The most items and characters of a batch. The service takes 1,000 steps and, by default, 1 MiB.
const AT_ONCE = 200, MOST = 1000, LONGEST = 300_000

// As many of the last items as one batch can edit; at least one.
export function lastBatch(items) {
  let length = 0
  const first = items.findLastIndex((item, index) =>
    (length += JSON.stringify(item).length) > LONGEST || index < items.length - MOST)
  return items.slice(Math.min(first + 1, items.length - 1))
}

// Reads something for each item. Browsers refuse too many requests at once.
export async function inTurn(items, read) {
  const results = []
  for (let start = 0; start < items.length; start += AT_ONCE)
    results.push(...await Promise.all(items.slice(start, start + AT_ONCE).map(read)))
  return results
}

// Whether an item is as it was seen: in a detail, or in a row, which may lack the version of the fields.
export const alike = (seen, now) =>
  ['title', 'count', 'fieldsVersion'].every(name => seen[name] === undefined || seen[name] === now[name])

// The positions of items, each described by a neighbour instead of an index: after a row, or first in a section.
export async function spotsOf(details) {
  const places = details.map(({href}) => Place.ofLink(href).parent),
    sections = new Map(places.map(({level}) => [level, null]))
  for (const level of sections.keys()) sections.set(level, (await getJSON(level + '?limit=1&fields=')).sections)
  return details.map(({position: {section, index}, previous}, number) => {
    const above = places[number], all = sections.get(above.level), isFirst = all[section]?.start === index || !previous
    return {above, after: isFirst ? null : Place.ofLink(previous.href),
      section: isFirst && all.length > 1 ? section : null}
  })
}

// The position in a target of an edit: {above, after, section} as in `spotsOf`, {above, before}, or {above} for the
// end.
export async function spotIn(target) {
  if ('after' in target) return target
  const {above, before} = target
  if (before) return (await spotsOf([await readNow(before)]))[0]
  const [{lastChild}, {sections}] = await Promise.all([readNow(above), getJSON(above.level + '?limit=1&fields=')])
  // The end is in the last section, which may be empty.
  const isFirst = !lastChild || sections.length > 1 && !sections.at(-1).count
  return {above, after: isFirst ? null : Place.ofLink(lastChild.href),
    section: isFirst && sections.length > 1 ? sections.length - 1 : null}
}

// A position that is described by a row that does not move: while the row above is one of the moving items, the
// position of that item. `known`: the positions of these items, by their paths; null if a position is not known yet.
export async function fixed(spot, known) {
  while (spot.after && known.has(spot.after.path))
    spot = known.get(spot.after.path) ?? (await spotsOf([await readNow(spot.after)]))[0]
  return spot
}

// The positions of items, described by rows that are not among these items.
export async function fixedSpots(details) {
  const spots = await spotsOf(details),
    known = new Map(details.map(({href}, index) => [Place.ofLink(href).path, spots[index]]))
  return Promise.all(spots.map(spot => fixed(spot, known)))
}

// Reads items with everything below them, with exact types, and their positions, to restore them after a deletion.
export async function snapshots(details) {
  const spots = await spotsOf(details), items = await inTurn(details, ({href}) => readItem(Place.ofLink(href)))
  return details.map(({title}, index) => ({...spots[index], item: items[index], title}))
}

export const readItem = ({path}) => readPlist(`/document/${path}?inline=false`)

const at =
  ({after, section}) => ({at: after ? 'after:' + keyOf(after.path) : 'first', ...(section !== null && {section})})

// Sends steps to exact positions. If one of the positions does not exist, sends steps to the ends of the levels.
const placed = (exact, last) => exact().catch(error => {
  if (![409, 422].includes(error.status)) throw error
  return last()
})

// Puts deleted items back at their positions, or else at the end of their levels.
export function insertBack(items) {
  const insert = at => batch(items.map(each => typed({insert: each.item, to: each.above.level, ...at(each)})),
    'application/x-plist')
  return placed(() => insert(at), () => insert(() => ({at: 'last'})))
}

// Deletes items. A path is that of the item when its step is made, and siblings of one title are numbered. Therefore
// the last item comes first, so that the paths of the others stay as they are.
export const deleteAll = details => batch(details.map(({href, leaf, version, fieldsVersion}) =>
  // For an item with items below it, the version also depends on these.
  ({delete: href, ifMatch: leaf ? fieldsVersion : version})).reverse())

// Moves items, given by their details in the order of the document, to a spot each; the last item comes first, so that
// items with one spot keep their order. With `orLast`, the items may also get to the end of the levels. Resolves to
// {made, back, others}: the new places of the items, their former positions as in `fixedSpots`, and the places
// `others`, all as they are after the moves. A step names an item by the path that the item has before all steps. If
// another move has changed this path, the item and those before it stay for another batch: `made` and `back` have only
// the last items.
export async function moveAll(details, spots, orLast, others = []) {
  const move = async (numbers, isLast) => {
    const paths = new Paths(details), steps = []
    for (const number of numbers) {
      const place = Place.ofLink(details[number].href), {above} = spots[number],
        spot = isLast ? {above} : spots[number], now = await paths.spot(spot)
      if (!isLast && (await paths.place(place)).path !== place.path) break
      steps.push({move: place.detail, to: now.above.level, ...(isLast ? {at: 'last'} : at(now)),
        ifMatch: details[number].fieldsVersion})
      paths.take(place, spot)
    }
    const back = [], places = []
    for (const spot of await fixedSpots(details.slice(-steps.length))) back.push(await paths.spot(spot))
    for (const place of others) places.push(await paths.place(place))
    const links = await batch(steps)
    return {made: isLast ? links : links.reverse(), back, others: places}
  }
  const exact = () => move([...details.keys()].reverse())
  return orLast ? placed(exact, () => move([...details.keys()], true)) : exact()
}

// The paths of items after some steps of a batch. Siblings of one name have numbers in their order (`Name`, `Name~2`),
// so that the move of one of them changes the numbers of others. `details`: those of the items that move.
class Paths {
  #moved = new Map()

  constructor(details) {
    this.details = new Map(details.map(each => [Place.ofLink(each.href).path, each]))
  }

  // The name and the number in the last segment of a path.
  #parts({path, segments}) {
    const key = segments.at(-1), [, name, number] = /^(.+)~(\d+)$/.exec(key) ?? []
    return name && this.details.get(path)?.title !== decodeSegment(key) ? [name, Number(number)] : [key, 1]
  }

  // Takes note that an item moves to a spot.
  take(place, spot) {
    const [name, number] = this.#parts(place)
    this.#moved.set(name, [...this.#moved.get(name) ?? [], {from: place.parent.path, number, spot}])
  }

  async place(place) {
    const segments = []
    for (const [length, key] of place?.segments.entries() ?? []) {
      const level = place.prefix(length).path, item = place.prefix(length + 1), [name, number] = this.#parts(item)
      let now = number
      for (const {from, number: other, spot} of this.#moved.get(name) ?? []) {
        if (from === level && other < number) now--
        if (spot.above.path === level
          && await this.#order(spot) < await this.#order({after: item, section: null}) - 0.5) now++
      }
      segments.push(now === number ? key : now > 1 ? `${name}~${now}` : name)
    }
    return place && new Place(segments)
  }

  spot = async ({above, after, section}) => ({above: await this.place(above), after: await this.place(after), section})

  // A number that is greater for a spot that comes later on a level. A level has fewer rows than 2^32.
  async #order({after, section}) {
    if (after === undefined) return Infinity
    if (!after) return (section ?? 0) * 2 ** 32 - 0.5
    if (!this.details.has(after.path)) this.details.set(after.path, await readNow(after))
    const {position} = this.details.get(after.path)
    return position.section * 2 ** 32 + position.index + 0.5
  }
}

const typed = step => dictionary(Object.entries(step).map(([name, value]) =>
  [name, typeof value === 'string' ? string(value)
    : typeof value === 'number' ? {type: 'integer', value: String(value)} : value]))

// Sends the fields of an item that differ from `before`. Resolves to the new detail of the item. A patch as a property
// list keeps every type and every digit, but cannot remove fields. A patch that only removes fields is sent as JSON,
// and so is the patch of an item that was read as JSON. If fields, or names inside fields, are removed and others are
// changed, all fields are sent.
export function sendFields({place, isJSON}, fields, before, ifMatch) {
  const {detail} = place, now = new Map(fields), old = new Map(before), exact = {ifMatch, type: 'application/x-plist'}
  const changed = changes(fields, before)
  if (!isJSON && changed.every(name => now.has(name) && !loses(old.get(name), now.get(name))))
    return edit('PATCH', detail, plist(dictionary(changed.map(name => [name, now.get(name)]))), exact)
  if (isJSON || changed.every(name => !now.has(name)))
    return edit('PATCH', detail, members(fields, before), {ifMatch, type: 'application/merge-patch+json'})
  return edit('PUT', detail, plist(dictionary(fields)), exact)
}

// Whether a dictionary, or one inside it, has lost a name, which a patch as a property list cannot express.
const loses = (old, now) => old?.type === 'dictionary' && now.type === old.type && old.value.some(([name, value]) => {
  const next = new Map(now.value).get(name)
  return !next || loses(value, next)
})

// The names of the fields whose values differ from another state of the item.
export function changes(fields, other) {
  const before = new Map(other), after = new Map(fields)
  return [...new Set([...before.keys(), ...after.keys()])].filter(name => !same(before.get(name), after.get(name)))
}

// The merge patch (RFC 7396) that turns `other` into `fields`, with only the changed entries of dictionaries.
function members(fields, other) {
  const before = new Map(other), after = new Map(fields)
  return `{${changes(fields, other).map(name =>
    JSON.stringify(name) + ':' + literal(after.get(name), before.get(name)))}}`
}

// A value as JSON: a number keeps every digit, and a missing value is null. `old`: the value that `now` replaces.
export function literal(now, old) {
  if (!now) return 'null'
  const {type, value} = now
  if (type === 'array') return `[${value.map(each => literal(each))}]`
  if (type === 'dictionary') return members(value, old?.type === type ? old.value : [])
  return isNumber(now) && isFinite(value) ? value : JSON.stringify(value)
}

export const isNumber = ({type}) => ['integer', 'real'].includes(type)
