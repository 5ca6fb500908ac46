// Moving rows by dragging their handles, with a mouse or a finger.

import {boxOf, el} from './elements.js'
import {refuse} from './messages.js'
import {itemPath, Place} from './place.js'

// Whether rows can be moved on a level; if not, a message says why.
export function isMovable({place}) {
  if (place.levelQuery) refuse('Rows can be moved only in the order of the document.')
  return !place.levelQuery
}

const EDGE = 48

// `chosen`: the marks of the rows to move.
export function beginDrag(event, editor, pane, chosen) {
  event.preventDefault()
  if (!isMovable(pane)) return
  const paths = new Set(chosen.map(({place}) => place.path)), line = el('div.drop-line')
  const item = event.target.closest('.item'), grabbed = boxOf(item), ghost = item.cloneNode(true)
  ghost.className = 'ghost'
  // An image that was read with a token has a temporary address, so it cannot be copied.
  for (const image of ghost.querySelectorAll('img')) image.style.visibility = 'hidden'
  ghost.ariaHidden = true
  Object.assign(ghost.style, {width: grabbed.width + 'px', height: grabbed.height + 'px'})
  document.body.append(line, ghost)
  document.body.classList.add('dragging')
  let target = null, position = event, frame = 0
  const over = new AbortController()
  const {signal} = over
  const end = isDrop => {
    over.abort()
    cancelAnimationFrame(frame)
    line.remove()
    ghost.remove()
    document.body.classList.remove('dragging')
    document.querySelector('.drop-into')?.classList.remove('drop-into')
    if (isDrop && target) editor.move(chosen, target, pane.marked)
  }
  const aim = () => target = targetAt(position, editor, paths, line, Math.abs(position.clientY - event.clientY) > EDGE)
  const follow = () => {
    Object.assign(ghost.style, {left: grabbed.left + position.clientX - event.clientX + 'px',
      top: grabbed.top + position.clientY - event.clientY + 'px'})
    aim()
    frame = requestAnimationFrame(follow)
  }
  addEventListener('pointermove', moved => position = moved, {signal})
  addEventListener('pointerup', released => {
    // The pointer may have moved since the last frame.
    position = released
    aim()
    end(true)
  }, {signal})
  addEventListener('pointercancel', () => end(false), {signal})
  addEventListener('keydown', pressed => pressed.key === 'Escape' && end(false), {signal})
  follow()
}

// Returns the target of a drop at a point, as in `spotIn`, or null. Shows the target with a line between two rows, or
// by marking the branch whose level gets the dropped rows.
function targetAt({clientX, clientY}, editor, paths, line, hasMoved) {
  document.querySelector('.drop-into')?.classList.remove('drop-into')
  line.hidden = true
  const under = document.elementFromPoint(clientX, clientY)
  const pane = editor.app.panes.find(each => each.level && each.element.contains(under) && editor.isCurrent(each))
  if (!pane || pane.place.levelQuery) return null
  const {list, level, place: above} = pane, box = boxOf(list.element)
  if (hasMoved && clientY < box.top + EDGE) list.element.scrollTop -= 8
  if (hasMoved && clientY > box.bottom - EDGE) list.element.scrollTop += 8
  const showLine = ({left, width}, top) => {
    line.hidden = false
    Object.assign(line.style, {left: left + 'px', width: width + 'px', top: top + 'px'})
  }
  const index = list.indexOf(under), row = level.row(index)
  if (index < 0) {
    // Below the last row, the target is the end of the level.
    const end = level.count ? list.elementOf(level.count - 1) : list.element
    const bottom = end && (level.count ? boxOf(end).bottom : box.top)
    if (!end || clientY < bottom) return null
    showLine(boxOf(end), bottom)
    return {above}
  }
  if (!row || paths.has(itemPath(row.href))) return null
  const item = under.closest('.item'), {top, height} = boxOf(item), share = (clientY - top) / height,
    place = Place.ofLink(row.href)
  if (!row.leaf && share > 0.25 && share < 0.75) {
    item.classList.add('drop-into')
    return {above: place}
  }
  showLine(boxOf(item), share < 0.5 ? top : top + height)
  return share < 0.5 ? {above, before: place} : {above, after: place, section: null}
}
