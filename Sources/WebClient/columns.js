// The widths of columns, which the user sets at their edges, and which the browser remembers.

import {base, boxOf, el, isRightToLeft, within} from './elements.js'

const KEY = 'widths' + base, LEAST = 200, MOST = 1200
// The widths in rem of a column that is not narrowed any more, of a strip, and of the inspector.
const COLUMN = 18, TABLE = 30, STRIP = 3, INSPECTOR = 22

function stored() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}')
  } catch {
    return {}
  }
}

const widths = stored()

// The size of the font and the width of the window in pixels. They are read when the browser has laid out the page; to
// read them after a change would make it lay out the page at once.
export let rem, windowWidth

const measure = () =>
  [rem, windowWidth] = [parseFloat(getComputedStyle(document.documentElement).fontSize), innerWidth]

export function watchSize(done) {
  measure()
  new ResizeObserver(() => {
    measure()
    done()
  }).observe(document.querySelector('.bar'))
}

// Widths are kept by depth: a column gets the width of the previous column at the same depth.
const depthOf = ({place, level}) => level ? place.segments.length : 'detail'

function setWidth(pane, width) {
  const {element} = pane, edge = element.querySelector('.edge')
  element.classList.toggle('sized', Boolean(width))
  element.style.setProperty('--width', width + 'px')
  if (edge && width) edge.ariaValueNow = width
}

export const restoreWidth = pane => setWidth(pane, widths[depthOf(pane)])

// On a wide screen, turns the first columns into strips until the others have room.
export function fitColumns(panes, end, isWide) {
  const levels = panes.filter(({level}) => level)
  const least = pane => pane.columns.length ? TABLE * rem : pane !== end && widths[depthOf(pane)] || COLUMN * rem
  let room = windowWidth - INSPECTOR * rem - levels.reduce((sum, pane) => sum + least(pane), 0)
  for (const pane of levels) {
    const isStrip = isWide && room < 0 && pane !== end
    if (isStrip) room += least(pane) - STRIP * rem
    pane.element.classList.toggle('strip', isStrip)
  }
}

function keepWidth(pane, width) {
  width = Math.round(within(LEAST, width, MOST))
  widths[depthOf(pane)] = width
  setWidth(pane, width)
  localStorage.setItem(KEY, JSON.stringify(widths))
}

// Makes the edge of a column, which is dragged, or moved with the arrow keys left and right.
export function widthEdge(pane) {
  const width = () => boxOf(pane.element).width
  const edge = el('div.edge', {
    role: 'separator', tabIndex: 0, ariaOrientation: 'vertical', ariaLabel: 'Width of the column',
    ariaValueNow: 320, ariaValueMin: LEAST, ariaValueMax: MOST,
    onpointerdown: event => {
      event.preventDefault()
      edge.setPointerCapture(event.pointerId)
    },
    onpointermove: event => {
      if (!edge.hasPointerCapture(event.pointerId)) return
      const {left, right} = boxOf(pane.element)
      keepWidth(pane, isRightToLeft(edge) ? right - event.clientX : event.clientX - left)
    },
    onkeydown: event => {
      const by = {ArrowLeft: -16, ArrowRight: 16}[event.key]
      if (!by) return
      event.stopPropagation()
      event.preventDefault()
      keepWidth(pane, width() + (isRightToLeft(edge) ? -by : by))
    },
  })
  return edge
}
