// What a row shows: image, title, subtitle or trail, value, count, and the mark of a branch.

import {control} from './controls.js'
import {el, icon} from './dom.js'
import {asset, brief, count, isColour, oneLine, plural} from './format.js'
import {Place} from './place.js'

// Draws a row into its list item, unless it shows that row already. `context`: selected, isTree, onToggle.
export function drawRow(item, row, context) {
  const shown = row && `${row.href} ${row.version} ${row.indent ?? ''} ${row.expanded ?? ''} ${context.mode ?? ''}`
  if (item.shown !== shown || !shown) {
    const hadFocus = item.contains(document.activeElement) && document.activeElement.matches('.row')
    item.shown = shown
    item.replaceChildren(...(row ? content(row, context) : [el('div', {class: 'row waiting'}, el('i'))]))
    if (hadFocus) item.querySelector('.row')?.focus({preventScroll: true})
  }
  if (row) markSelected(item, row, context)
}

export function markSelected(item, row, {selected, isTree, marked}) {
  const link = item.querySelector('.row')
  if (!link) return
  const isSelected = selected !== undefined && selected !== null && itemPath(row.href) === selected
  if (isTree) link.setAttribute('aria-selected', String(isSelected))
  else if (isSelected) link.setAttribute('aria-current', 'true')
  else link.removeAttribute('aria-current')
  const isMarked = Boolean(marked?.has(row.href))
  item.classList.toggle('marked', isMarked)
  item.querySelector('.mark')?.setAttribute('aria-checked', String(isMarked))
}

// The path of a row's item, as that of a place.
export const itemPath = href => href.replace(/^\/(levels|detail)\/?/, '')

function content(row, context) {
  const place = Place.ofLink(row.href)
  const isControl = row.control && row.leaf
  const link = el('a', {
    class: isControl ? 'row has-control' : 'row', href: place.address, 'data-href': row.href, tabindex: '-1', draggable: 'false',
    role: context.isTree ? 'treeitem' : null,
    'aria-level': context.isTree ? row.indent + 1 : null,
    'aria-expanded': context.isTree && !row.leaf ? String(row.expanded) : null,
  })
  if (context.isTree) link.style.setProperty('--indent', row.indent)
  if (context.isTree) link.append(disclosure(row, context))
  link.append(...(isControl ? [texts(row)] : parts(row)))
  const [mark, handle] = context.decorate?.(row) ?? []
  return [mark, link, isControl && control(row, context), handle].filter(Boolean)
}

function parts(row) {
  const {Image: image, Value: value} = row.fields
  return [
    asset(image) && picture(image), texts(row),
    value !== undefined && valueText(value),
    row.error ? el('span', {class: 'mark-error', title: row.error}, '!') : null,
    !row.leaf && el('span', {class: 'count', 'aria-label': plural(row.count, 'row', 'rows')}, count(row.count)),
    row.leaf ? null : icon('forward'),
  ].filter(Boolean)
}

function picture(name) {
  const image = el('img', {src: asset(name), alt: '', loading: 'lazy', decoding: 'async'})
  image.addEventListener('error', () => image.classList.add('missing'), {once: true})
  return image
}

function texts(row) {
  const second = row.error ?? (row.trail?.length ? row.trail.join(' › ') : row.fields.Subtitle)
  const title = oneLine(row.title.slice(0, 400))
  return el('span', {class: 'texts'},
    el('span', {class: 'title', dir: 'auto'}, title || (row.control?.key ?? ' ')),
    second === undefined || second === '' ? null
      : el('span', {class: row.error ? 'subtitle error' : 'subtitle', dir: 'auto'}, brief(second)))
}

function valueText(value) {
  const text = el('span', {class: 'value', dir: 'auto'}, brief(value))
  if (isColour(value)) {
    const swatch = el('span', {class: 'swatch'})
    swatch.style.backgroundColor = value
    text.prepend(swatch)
  }
  return text
}

function disclosure(row, {onToggle}) {
  if (row.leaf) return el('span', {class: 'disclosure'})
  return el('span', {
    class: row.expanded ? 'disclosure open' : 'disclosure',
    onclick: event => {
      event.preventDefault()
      event.stopPropagation()
      onToggle(row)
    },
  }, icon('forward'))
}

// Whether a row needs the height of two lines.
export const isTall = row =>
  Boolean(row.error || row.trail?.length || row.fields.Image || (row.fields.Subtitle ?? '') !== '')
