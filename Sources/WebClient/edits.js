// Sending edits, and what is read for them.

import {decodeSegment, Place} from './place.js'
import {plist, readPlist} from './plist.js'
import {getJSON, send, token} from './service.js'

export const keyOf = href => decodeSegment(href.split('/').at(-1))

const string = value => ({type: 'string', value})

export const dictionary = value => ({type: 'dictionary', value})

export const same = (one, other) => JSON.stringify(one) === JSON.stringify(other)

// What is read for an edit is asked for once: the edit is not to be done at some later time, when nobody expects it.
export const readNow = place => send('GET', place.detail)

/**
 * Sends an edit; asks for another token if the present one was taken back.
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

// Sends edits as one batch; gives the places of their items. With `type`, the steps are property-list values.
export async function batch(steps, type) {
  const body = type ? plist(dictionary([['edits', {type: 'array', value: steps}]])) : {edits: steps}
  const {edits} = await edit('POST', '/edits', body, {type})
  return edits.map(each => each && Place.ofLink(each.href))
}

// Whether two details are of one item that was not changed, wherever it is now.
export const alike = (one, other) => same(...[one, other].map(each =>
  each && [each.title, each.count, Object.entries(each.fields).sort(([a], [b]) => a < b ? -1 : 1)]))

// The position of an item, in a form that other rows do not change: after a row, or first in a section.
export async function spotOf(place, {position: {section, index}, previous}) {
  const above = place.parent, {sections} = await getJSON(above.level + '?limit=1&fields=')
  const isFirst = sections[section]?.start === index || !previous
  return {above, after: isFirst ? null : Place.ofLink(previous.href), section: isFirst && sections.length > 1 ? section : null}
}

// What is needed to put an item back: the whole of it as its file has it, with its exact types, and its position.
export async function snapshot(place, detail) {
  const [item, spot] = await Promise.all([readPlist(`/document/${place.path}?inline=false`), spotOf(place, detail)])
  return {...spot, item, title: detail.title}
}

// Puts items at their positions, or last on their levels if the rows around them are others now.
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

// Sends the fields of an item that are not those of `before`; gives its new detail.
// A property list keeps every type and digit, but has no way to say in a patch that something goes: then JSON says it,
// or the item is sent as a whole.
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

// Whether a dictionary lacks something that was in it, or in one within it: a patch would leave that there.
const loses = (old, now) => old?.type === 'dictionary' && now.type === old.type && old.value.some(([name, value]) => {
  const next = new Map(now.value).get(name)
  return !next || loses(value, next)
})

// The names whose values are not those of another state of the item.
export function changes(fields, other) {
  const before = new Map(other), after = new Map(fields)
  return [...new Set([...before.keys(), ...after.keys()])].filter(name => !same(before.get(name), after.get(name)))
}

// What makes some fields of others by a merge patch (RFC 7396): of dictionaries too, only what was changed in them.
function members(fields, other) {
  const before = new Map(other), after = new Map(fields)
  return `{${changes(fields, other).map(name => JSON.stringify(name) + ':' + literal(after.get(name), before.get(name)))}}`
}

// A value in JSON, numbers with every digit; `old` is what it takes the place of.
export function literal(now, old) {
  if (!now) return 'null'
  const {type, value} = now
  if (type === 'array') return `[${value.map(each => literal(each))}]`
  if (type === 'dictionary') return members(value, old?.type === type ? old.value : [])
  return isNumber(now) && isFinite(value) ? value : JSON.stringify(value)
}

export const isNumber = ({type}) => ['integer', 'real'].includes(type)
