// The path to the place that is shown, as links.

import {el} from './dom.js'
import {oneLine} from './format.js'
import {Place} from './place.js'

const list = document.querySelector('.crumbs ol')

// `ancestors`: as in an answer; until there is one, the segments stand for the titles.
export function showCrumbs(place, ancestors, title) {
  const above = ancestors?.map(each => [each.title, Place.ofLink(each.href)])
    ?? place.segments.map((_, length) => [place.prefix(length).name || 'Root', place.prefix(length)])
  list.replaceChildren(
    ...above.map(([name, target]) => el('li', null, el('a', {href: target.address}, el('bdi', null, short(name))))),
    el('li', null, el('span', {'aria-current': 'page'}, el('bdi', null, short(title ?? place.name)))))
  list.parentNode.scrollLeft = list.parentNode.scrollWidth
  document.title = document.querySelector('h1').textContent = short(title ?? (place.name || 'Root')) || 'Untitled'
}

const short = text => oneLine(text.slice(0, 200)) || '…'
