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
      if (![401, 403].includes(error.status) || !await token.ask('editing', 'Your token does not allow edits any more.')) throw error
    }
  }
}

// Sends edits as one batch. Resolves to the places of the edits' items; the place of a deleted item is null. With
// `type`, the steps are property-list values.
export async function batch(steps, type) {
  const body = type ? plist(dictionary([['edits', {type: 'array', value: steps}]])) : {edits: steps}
  const {edits} = await edit('POST', '/edits', body, {type})
  return edits.map(each => each && Place.ofLink(each.href))
}

// Whether two details have the same title, count and fields; their paths may differ.
export const alike = (one, other) => same(...[one, other].map(each =>
  each && [each.title, each.count, Object.entries(each.fields).sort(([a], [b]) => a < b ? -1 : 1)]))

// The position of an item, described by a neighbour instead of an index: after a row, or first in a section.
export async function spotOf(place, {position: {section, index}, previous}) {
  const above = place.parent, {sections} = await getJSON(above.level + '?limit=1&fields=')
  const isFirst = sections[section]?.start === index || !previous
  return {above, after: isFirst ? null : Place.ofLink(previous.href), section: isFirst && sections.length > 1 ? section : null}
}

// Reads all data with which an item can be restored after its deletion: the item and everything below it, with exact
// types, and the position of the item.
export async function snapshot(place, detail) {
  const [item, spot] = await Promise.all([readPlist(`/document/${place.path}?inline=false`), spotOf(place, detail)])
  return {...spot, item, title: detail.title}
}

// Puts items back at their positions. If one of the positions no longer exists, puts all items at the end of their
// levels.
async function putBack(items, step, type) {
  const exact = each => ({...step(each), at: each.after ? 'after:' + keyOf(each.after.path) : 'first', ...(each.section !== null && {section: each.section})})
  const send = steps => batch(type ? steps.map(typed) : steps, type)
  return send(items.map(exact)).catch(error => {
    if (![409, 422].includes(error.status)) throw error
    return send(items.map(each => ({...step(each), at: 'last'})))
  })
}

const typed = step => dictionary(Object.entries(step).map(([name, value]) =>
  [name, typeof value === 'string' ? string(value) : typeof value === 'number' ? {type: 'integer', value: String(value)} : value]))

export const insertBack = items => putBack(items, ({item, above}) => ({insert: item, to: above.level}), 'application/x-plist')

export const moveBack = items => putBack(items, ({place, above, tag}) => ({move: place.detail, to: above.level, ifMatch: tag}))

// Sends the fields of an item that differ from `before`. Resolves to the new detail of the item. A patch as a property
// list keeps every type and every digit, but cannot remove fields. A patch that only removes fields is sent as JSON,
// and so is the patch of an item that was read as JSON. If fields, or names inside fields, are removed and others are
// changed, all fields are sent.
export function sendFields({place, isJSON}, fields, before, ifMatch) {
  const {detail} = place, now = new Map(fields), old = new Map(before), exact = {ifMatch, type: 'application/x-plist'}
  const changed = changes(fields, before)
  if (!isJSON && changed.every(name => now.has(name) && !loses(old.get(name), now.get(name)))) {
    return edit('PATCH', detail, plist(dictionary(changed.map(name => [name, now.get(name)]))), exact)
  }
  if (isJSON || changed.every(name => !now.has(name))) {
    return edit('PATCH', detail, members(fields, before), {ifMatch, type: 'application/merge-patch+json'})
  }
  return edit('PUT', detail, plist(dictionary(fields)), exact)
}

// Whether a dictionary, or a dictionary inside it, has lost a name. A patch in the format of a property list cannot
// express the loss.
const loses = (old, now) => old?.type === 'dictionary' && now.type === old.type && old.value.some(([name, value]) => {
  const next = new Map(now.value).get(name)
  return !next || loses(value, next)
})

// The names of the fields whose values differ from another state of the item.
export function changes(fields, other) {
  const before = new Map(other), after = new Map(fields)
  return [...new Set([...before.keys(), ...after.keys()])].filter(name => !same(before.get(name), after.get(name)))
}

// The merge patch (RFC 7396) that turns `other` into `fields`. For a changed dictionary, the patch contains only the
// changed entries.
function members(fields, other) {
  const before = new Map(other), after = new Map(fields)
  return `{${changes(fields, other).map(name => JSON.stringify(name) + ':' + literal(after.get(name), before.get(name)))}}`
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
