// Moving rows by dragging their handles, with a mouse or a finger.

import {el} from './dom.js'
import {keyOf} from './editor.js'
import {tell} from './notices.js'

const EDGE = 48

export function beginDrag(event, editor, pane, hrefs) {
  event.preventDefault()
  const line = el('div', {class: 'drop-line', hidden: true})
  document.body.append(line)
  document.body.classList.add('dragging')
  let target = null, position = event, frame = 0
  const over = new AbortController()
  const {signal} = over
  const end = isDrop => {
    over.abort()
    cancelAnimationFrame(frame)
    line.remove()
    document.body.classList.remove('dragging')
    document.querySelector('.drop-into')?.classList.remove('drop-into')
    if (isDrop && target) editor.move(hrefs, target.to, target.at)
  }
  const follow = () => {
    target = targetAt(position, editor, hrefs, line, Math.abs(position.clientY - event.clientY) > EDGE)
    frame = requestAnimationFrame(follow)
  }
  addEventListener('pointermove', moved => position = moved, {signal})
  addEventListener('pointerup', () => end(true), {signal})
  addEventListener('pointercancel', () => end(false), {signal})
  addEventListener('keydown', pressed => pressed.key === 'Escape' && end(false), {signal})
  if (pane.place.levelQuery) {
    end(false)
    tell('Rows can be moved only in the order of the document.', {isRefusal: true})
    return
  }
  follow()
}

// Where a drop at a point would put the rows, shown by a line between two rows or by the row that takes them.
function targetAt({clientX, clientY}, editor, hrefs, line, hasMoved) {
  document.querySelector('.drop-into')?.classList.remove('drop-into')
  line.hidden = true
  const under = document.elementFromPoint(clientX, clientY)
  const pane = editor.app.panes.find(each => each.kind === 'level' && each.element.contains(under))
  if (!pane || pane.place.levelQuery) return null
  const {list} = pane, box = list.element.getBoundingClientRect()
  if (hasMoved && clientY < box.top + EDGE) list.element.scrollTop -= 8
  if (hasMoved && clientY > box.bottom - EDGE) list.element.scrollTop += 8
  const to = pane.place.level
  const index = list.indexOf(under), row = index >= 0 ? pane.level.row(index) : null
  if (!row) return {to, at: 'last'}
  if (hrefs.includes(row.href)) return null
  const item = list.elementOf(index), {top, height, left, width} = item.getBoundingClientRect()
  const share = (clientY - top) / height
  if (!row.leaf && share > 0.25 && share < 0.75) {
    item.classList.add('drop-into')
    return {to: row.href, at: 'last'}
  }
  line.hidden = false
  Object.assign(line.style, {left: left + 'px', width: width + 'px', top: (share < 0.5 ? top : top + height) + 'px'})
  return {to, at: (share < 0.5 ? 'before:' : 'after:') + keyOf(row.href)}
}
