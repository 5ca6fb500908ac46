// A small panel beside the button that opens it.

import {el} from './dom.js'

// Opens a panel with this content; it closes by Escape, by a click elsewhere, and by `close()`.
export function openPanel(button, label, content) {
  document.querySelector('.panel')?.hidePopover()
  const panel = el('div', {class: 'panel', popover: 'auto', role: 'dialog', 'aria-label': label}, ...content)
  document.body.append(panel)
  panel.addEventListener('toggle', event => {
    if (event.newState !== 'closed') return
    const hadFocus = panel.contains(document.activeElement) || document.activeElement === document.body
    panel.remove()
    if (hadFocus) button.focus()
  })
  panel.showPopover()
  const at = button.getBoundingClientRect(), size = panel.getBoundingClientRect()
  panel.style.top = Math.max(8, Math.min(at.bottom + 4, innerHeight - size.height - 8)) + 'px'
  panel.style.left = Math.max(8, Math.min(at.right - size.width, innerWidth - size.width - 8)) + 'px'
  panel.querySelector('button, a, select, input')?.focus()
  panel.addEventListener('keydown', event => event.stopPropagation())
  return {element: panel, close: () => panel.isConnected && panel.hidePopover()}
}

export function menuButton(text, onclick) {
  return el('button', {type: 'button', class: 'menu-item', onclick}, text)
}

export function menuLink(text, href) {
  return el('a', {class: 'menu-item', href, target: '_blank', rel: 'noopener'}, text)
}
