// The index letters at the edge of a level: to tap, to slide along, and as a slider for the keyboard.

import {el} from './dom.js'

const LETTER_HEIGHT = 16

export class IndexStrip {
  #entries = []

  constructor(list) {
    this.list = list
    this.element = el('div', {
      class: 'index', role: 'slider', tabindex: '0', 'aria-label': 'Section index', 'aria-orientation': 'vertical', hidden: true,
      onpointerdown: event => {
        this.element.setPointerCapture(event.pointerId)
        this.#slide(event)
      },
      onpointermove: event => event.buttons && this.#slide(event),
      onkeydown: event => this.#key(event),
    })
    this.observer = new ResizeObserver(() => this.#draw())
    this.observer.observe(list.element)
  }

  update(sections) {
    this.#entries = sections
      .map((section, number) => ({text: section.index, start: section.start, number}))
      .filter(({text}) => text !== null && text !== undefined && text !== '')
    this.element.hidden = this.#entries.length < 2
    this.list.element.classList.toggle('has-index', !this.element.hidden)
    this.#draw()
  }

  // Draws as many letters as there is room for; a dot stands for those between.
  #draw() {
    if (this.element.hidden) return
    const {offsetWidth, clientWidth} = this.list.element
    this.element.style.insetInlineEnd = offsetWidth - clientWidth + 'px'
    const room = Math.max(3, Math.floor((this.list.element.clientHeight - 16) / LETTER_HEIGHT))
    const step = Math.max(1, Math.ceil((this.#entries.length * 2) / room))
    const shown = this.#entries.length <= room
      ? this.#entries.map(({text}) => text)
      : this.#entries.filter((_, place) => place % step === 0).flatMap(({text}) => [text, '·'])
    this.element.replaceChildren(...shown.map(text => el('span', null, text.slice(0, 2))))
    this.element.setAttribute('aria-valuemin', 0)
    this.element.setAttribute('aria-valuemax', this.#entries.length - 1)
    this.mark()
  }

  mark() {
    if (this.element.hidden || !this.list.geometry) return
    const section = this.list.geometry.sectionOfRow(this.list.visible.first)
    const place = Math.max(0, this.#entries.findLastIndex(({number}) => number <= section))
    this.element.setAttribute('aria-valuenow', place)
    this.element.setAttribute('aria-valuetext', this.#entries[place].text)
  }

  #slide(event) {
    event.preventDefault()
    const {top, height} = this.element.getBoundingClientRect()
    this.#jump(Math.floor(((event.clientY - top) / height) * this.#entries.length))
  }

  #key(event) {
    const now = Number(this.element.getAttribute('aria-valuenow'))
    const last = this.#entries.length - 1
    const place = {ArrowDown: now + 1, ArrowRight: now + 1, ArrowUp: now - 1, ArrowLeft: now - 1, Home: 0, End: last}[event.key]
    if (place === undefined) return
    event.preventDefault()
    this.#jump(place)
  }

  #jump(place) {
    const entry = this.#entries[Math.max(0, Math.min(place, this.#entries.length - 1))]
    this.list.reveal(entry.start, 'top')
    this.mark()
  }
}
