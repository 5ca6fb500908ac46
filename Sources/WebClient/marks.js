// Marks: the items that are chosen for an edit, as they were when they were chosen. A mark stays when its row is far
// away and is no longer in the memory of the page.

import {alike, inTurn, readNow} from './edits.js'
import {itemPath, Place} from './place.js'
import {positionOf} from './level.js'

// A mark is {place, index, seen}: the item, its row, and a promise of its title, count and version. A set is a map by
// paths.

// A mark for a loaded row. The version is that of the item's detail, unless the detail differs from the row already.
export function markOf(level, index) {
  const row = level.row(index), place = Place.ofLink(row.href)
  return {place, index, seen: readNow(place).then(now => alike(row, now) ? now : row).catch(() => row)}
}

// The marks of all rows between two rows, {href, index}. Throws if these are not the ends of the range any more.
export async function rangeOf(level, ...ends) {
  const [from, to] = (await Promise.all(ends.map(async ({href, index}) => {
    const loaded = level.indexOf(href)
    const present = loaded >= 0 ? loaded : level.place.levelQuery ? index : await positionOf(Place.ofLink(href))
    return {href, index: present ?? index}
  }))).sort((a, b) => a.index - b.index)
  const rows = await level.range(from.index, to.index)
  if (rows?.[0].href !== from.href || rows.at(-1).href !== to.href)
    throw {status: 412, message: 'the rows have changed meanwhile. Mark the first row again.'}
  return rows.map((row, offset) => ({place: Place.ofLink(row.href), index: from.index + offset,
    seen: Promise.resolve(row)}))
}

// The marks in the order of the rows of a level.
export function inOrder(marks, level) {
  for (const [index, {href}] of level.loaded()) {
    const mark = marks.get(itemPath(href))
    if (mark) mark.index = index
  }
  return [...marks.values()].sort((a, b) => a.index - b.index)
}

// Reads the present details of marked items, in the order of the document if they are on one level. If an item is not
// as it was seen, removes its mark from `marks`, and throws.
export async function presentDetails(chosen, marks) {
  let changed = null
  const details = await inTurn(chosen, async ({place, seen}) => {
    const now = await readNow(place).catch(error => {
      if (error.status !== 404) throw error
    })
    const before = await seen
    if (now && alike(before, now)) return now
    marks.delete(place.path)
    changed ??= {status: 412,
      message: `“${before.title}” was changed, renamed or deleted since it was chosen. Choose again.`}
  })
  if (changed) throw changed
  const above = new Set(chosen.map(({place}) => place.parent?.path))
  return above.size > 1 ? details : details.sort((a, b) => a.position.index - b.position.index)
}
