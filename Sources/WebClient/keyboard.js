// The keys of a list: arrows, Home, End, Page Up and Down, typing ahead, and the ways in and out.

import {getJSON} from './api.js'
import {Place} from './place.js'
import {itemPath} from './row.js'

const folded = text => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

let typed = '', typedAt = 0

export function onListKey(event, pane) {
  if (event.target.closest('input, select, textarea') || event.ctrlKey || event.metaKey || event.altKey) return
  const index = pane.list.indexOf(event.target)
  const row = index >= 0 ? pane.level.row(index) : null
  if (act(event.key, pane, index, row)) {
    event.preventDefault()
    event.stopPropagation()
  }
}

// Whether the key meant something here.
function act(key, pane, index, row) {
  const isRightToLeft = getComputedStyle(pane.list.element).direction === 'rtl'
  const [into, out] = isRightToLeft ? ['ArrowLeft', 'ArrowRight'] : ['ArrowRight', 'ArrowLeft']
  const page = Math.max(1, pane.list.visible.last - pane.list.visible.first - 1)
  const steps = {ArrowDown: index + 1, ArrowUp: index - 1, PageDown: index + page, PageUp: index - page, Home: 0, End: pane.level.count - 1}
  if (key in steps) return Boolean(pane.focusRow(steps[key])) || true
  if (key === into && row) return goInto(pane, row)
  if (key === out) return goOut(pane, index, row)
  if (key === 'Enter' && row) return pane.app.follow(row, pane, {byKey: true}), true
  if (key === 'Escape') return pane.app.goUp(pane), true
  if (key.length === 1 && key !== '/' && (key !== ' ' || typed)) return typeAhead(pane, index, key), true
  return false
}

function goInto(pane, row) {
  if (pane.place.isOutline && !row.leaf && !row.expanded) pane.toggle(row)
  else if (pane.place.isOutline && !row.leaf) pane.focusRow(pane.level.indexOf(row.href) + 1)
  else pane.app.follow(row, pane, {byKey: true})
  return true
}

function goOut(pane, index, row) {
  if (!pane.place.isOutline || !row) return pane.app.goUp(pane), true
  if (row.expanded) return pane.toggle(row), true
  const parent = itemPath(row.href).split('/').slice(0, -1).join('/')
  for (const [other, {href}] of pane.level.loaded()) if (itemPath(href) === parent) return pane.focusRow(other), true
  return pane.app.goUp(pane), true
}

// Goes to the next row that begins with what is typed; asks the service where not all rows are here.
async function typeAhead(pane, index, key) {
  const now = performance.now()
  typed = now - typedAt < 900 ? typed + key : key
  typedAt = now
  const wanted = folded(typed)
  const rows = [...pane.level.loaded()].filter(([, {title}]) => folded(title).startsWith(wanted))
  const from = typed.length > 1 ? index : index + 1
  const hit = rows.find(([other]) => other >= from) ?? rows[0]
  if (hit) return pane.focusRow(hit[0])
  if (pane.level.count <= 100 || pane.place.levelQuery) return
  const query = new URLSearchParams({where: 'Title~' + typed, limit: '100', fields: ''})
  const {rows: found} = await getJSON(`${pane.place.level}?${query}`).catch(() => ({rows: []}))
  const row = found.find(({title}) => folded(title).startsWith(wanted))
  if (!row) return
  const {position} = await getJSON(Place.ofLink(row.href).detail)
  pane.focusRow(position.index)
}
