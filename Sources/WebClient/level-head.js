// The head of a level's column: the title, the tools, the chosen view, and the names of columns.

import {backLink, count, el, icon, iconButton, oneLine, plural, titleText} from './elements.js'
import {conditions, RELATIONS} from './place.js'

// The module for the menus is loaded when the first menu is opened.
const menus = () => import('./menus.js')

export class LevelHead {
  heading = el('h2', {tabIndex: -1}, el('bdi'), el('small'))
  extra = el('div')
  // What a column shows that is a strip.
  spine = el('a.spine', el('bdi'))
  // On a phone, the title of the document above the title of the level.
  #origin = el('span.origin', {dir: 'auto'})
  #problem = el('p.problem', {role: 'alert'})
  #chips = el('div.chips', {role: 'group', ariaLabel: 'View'})
  #columns = el('div.columns')
  // What the names of the columns show.
  #drawn = ''
  #unlockButton = el('button.plain', {onclick: () => this.pane.app.turnEditing()}, 'Unlock to change')
  // On a wide screen, the inspector shows the detail.
  #infoButton = iconButton('info', 'Detail', () => this.#toggleDetail(), {className: 'tool detail-button'})

  constructor(pane) {
    this.pane = pane
    const menu = (name, label, open) => iconButton(name, label,
      async ({currentTarget}) => (await menus())[open](pane, currentTarget), {ariaHasPopup: 'dialog'})
    this.viewButton = menu('view', 'Sort, group, filter', 'openViewMenu')
    // The back link is shown only on narrow screens.
    this.element = el('header.pane-head',
      el('div.head-line', backLink(pane.app.above(pane.place)), this.#origin, this.heading,
        el('div.tools', this.viewButton, this.#infoButton, menu('more', 'More', 'openMoreMenu'))),
      this.#chips, this.extra, this.#unlockButton, this.#problem, this.#columns)
    this.update()
  }

  update() {
    const {pane} = this, {place} = pane
    const [title, small] = this.heading.children
    title.replaceChildren(titleText(pane.title))
    this.#origin.textContent = oneLine(pane.level.head?.ancestors[0]?.title ?? '')
    this.spine.href = place.address
    this.spine.firstChild.replaceChildren(titleText(pane.title))
    small.textContent = pane.count === undefined || pane.level.record ? ''
      : place.isSearch ? plural(pane.count, 'hit') : count(pane.count)
    const isChanged = ['sort', 'group', 'where', 'depth', 'expand', 'columns'].some(name => place.value(name) !== null)
    this.viewButton.classList.toggle('active', isChanged)
    this.#drawChips()
    this.#drawColumns()
    this.#unlockButton.hidden = !pane.isSettings || pane.app.isEditing || !pane.app.isEditable
    this.#infoButton.ariaPressed = place.value('show') === ''
    this.#problem.textContent = ''
    pane.app.editor?.updateHead(this)
  }

  // Draws a button for each chosen option of the view. The button removes the option.
  #drawChips() {
    const {pane: {app}} = this, {place} = this.pane, all = place.values('where')
    const chip = (text, values) => el('button.chip',
      {onclick: () => app.go(this.pane.place.setting({show: null, ...values}))},
      el('bdi', text), icon('close'))
    const chips = [
      ...(place.value('sort') ?? '').split(',').filter(Boolean).map((name, index, names) =>
        chip(name[0] === '-' ? name.slice(1) + ' ↓' : name + ' ↑',
          {sort: names.toSpliced(index, 1).join(',') || null})),
      place.value('group')
        && chip(place.value('group') === 'initial' ? 'by first letter' : `by ${place.value('group')}`, {group: null}),
      ...conditions(place).map(([field, sign, value], index) =>
        chip([field, RELATIONS.find(([each]) => each === sign)[1], value].join(' '), {where: all.toSpliced(index, 1)})),
      place.isOutline && chip('Outline', {depth: null, expand: null}),
      place.value('columns') !== null && chip(place.value('columns') ? 'Columns' : 'List', {columns: null}),
    ].filter(Boolean)
    if (chips.length > 1) {
      chips.push(el('button.plain', {onclick: () =>
        app.go(this.pane.place.setting({show: null, sort: null, group: null, where: null, depth: null, expand: null,
          columns: null}))}, 'Clear'))
    }
    this.#chips.hidden = !chips.length
    this.#chips.replaceChildren(...chips)
  }

  // Draws the names of the columns. Each name is a button that sorts the rows by the column, and has a menu.
  #drawColumns() {
    const {pane: {app, columns, numeric, fitted}} = this, order = this.pane.place.value('sort')
    const drawn = `${columns} ${[...numeric]} ${[...fitted]} ${order}`
    this.#columns.hidden = !columns.length
    if (this.#drawn === drawn) return
    this.#drawn = drawn
    this.#columns.replaceChildren(...(columns.length ? ['Title', ...columns] : []).map(name => {
      const next = order === name ? '-' + name : order === '-' + name ? null : name
      const menu = iconButton('down', `Menu of ${name}`,
        async () => (await menus()).openColumnMenu(this.pane, menu, name), {ariaHasPopup: 'dialog'})
      return el(numeric.has(name) ? 'div.cell.number' : 'div.cell', {style: fitted.get(name)}, el('button.sort', {
        ariaLabel: `Sort by ${name}${next?.[0] === '-' ? ', descending' : ''}`,
        onclick: () => app.go(this.pane.place.setting({show: null, sort: next})),
        // The arrow comes first, because the end of a long name is cut off.
      }, order === name ? '↑ ' : order === '-' + name ? '↓ ' : '', el('bdi', name)), menu,
      name !== 'Title' && el('div.fit', {ondblclick: () => this.pane.fitColumn(name)}))
    }))
  }

  refuse({message}) { this.#problem.textContent = message }

  #toggleDetail() {
    const {place} = this.pane
    this.pane.app.go(place.showing(place.value('show') === '' ? null : place))
  }
}
