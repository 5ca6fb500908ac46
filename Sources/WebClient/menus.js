// The menus of a column: More, and Sort, group, filter.

import {ask as askReader, menuItem, openPanel} from './dialogs.js'
import {base, choiceField, count, el, icon, iconButton, stop, titleText, toggleSwitch} from './elements.js'
import {tell} from './messages.js'
import {conditions, Place, RELATIONS} from './place.js'
import {getJSON, openTab, token} from './service.js'

// MARK: The menu More: the path, the curl command, the address, the JSON, the keys, and editing.

export function openMoreMenu(pane, button) {
  const {app, target} = pane
  openPanel(button, 'More', [
    app.isNarrow && pane.place.parent && pathLinks(pane),
    menuItem('Copy as curl', () => copy(curl(target), 'The command is copied.')),
    menuItem('Copy address', () => copy(location.href, 'The address is copied.')),
    link('JSON', target),
    pane.level && link('CSV', pane.place.asking({...pane.place.fields, format: 'csv', limit: 10_000})),
    menuItem('Keys…', () => showKeys(app)),
    app.isEditable && (app.isEditing ? menuItem('Stop editing', () => app.setEditing(false))
      : menuItem('Edit…', async () => await token.ask('editing') && app.setEditing(true))),
  ])
}

const link = (text, target) => el('a.menu-item', {
  href: base + target, target: '_blank', rel: 'noopener',
    onclick: event => token.value && (stop(event), openTab(target)),
}, text)

// Links to the levels above, for narrow screens, which do not show the path.
const pathLinks = ({place, level, detail}) => el('nav.path', {ariaLabel: 'Path'}, ...place.segments.map((_, depth) => {
  const above = place.prefix(depth),
    title = (level?.head ?? detail)?.ancestors?.[depth]?.title ?? (above.name || 'Root')
  return el('a.menu-item.step', {href: above.address, onclick: ({target}) => target.closest('.panel').hidePopover(),
    style: `--depth: ${depth}`},
    el('bdi', titleText(title)))
}))

const KEYS = [['↑ ↓ Page Up, Page Down, Home, End', 'another row'], ['→ Enter', 'opens a row'],
  ['←', 'the row that leads here'], ['Escape', 'the level above'],
  ['/', 'searches'], ['Letters', 'the next row that begins with them'], ['?', 'these keys']]
const EDITING_KEYS = [['F2', 'renames'], ['Insert', 'adds'], ['Delete', 'deletes'], ['Space', 'marks'],
  ['Ctrl A', 'marks all'], ['Alt ↑ ↓', 'moves'],
  ['Ctrl D', 'duplicates'], ['Ctrl X, Ctrl V', 'moves to another level'], ['Ctrl Z, Ctrl Y', 'undoes, redoes']]

export const showKeys = app => askReader('Keys',
  [el('dl.keys', ...[...KEYS, ...(app.isEditing ? EDITING_KEYS : [])].map(([keys, what]) =>
  el('div', el('dt', keys), el('dd', what))))], ['Close'])

// The curl command for a shell, without the token. The address is quoted so that the shell does not expand it.
const curl = target => `curl '${(location.origin + base + target).replace(/'/g, "'\\''")}'`

async function copy(text, message) {
  try {
    await navigator.clipboard.writeText(text)
    tell(message, {seconds: 3})
  } catch {
    tell(text, {seconds: 30})
  }
}

// MARK: The menu Sort, group, filter. It offers the fields of the level's first rows, also as columns.

// `condition`: the field of a new condition.
export async function openViewMenu(pane, button, condition) {
  const names = await fieldNames(pane.place)
  // The pane may have been closed meanwhile.
  if (!button.isConnected) return
  const {place, app} = pane
  const ask = (values, replace = false) => app.go(pane.place.setting({show: null, ...values}), {replace})
  const inRows = (values, replace) => ask({depth: null, expand: null, ...values}, replace)
  const order = place.value('sort') ?? ''
  const sort = () => {
    descending.disabled = !field.value
    inRows({sort: field.value && (descending.checked ? '-' : '') + field.value || null})
  }
  const fields = names.map(name => [name])
  const field = choiceField('Sort by', [['', 'Document order'], ...fields], order.replace(/^-/, ''), sort)
  const descending = toggleSwitch('Descending', order.startsWith('-'), {disabled: !order, onchange: sort})
  const group = choiceField('Group by', [['', 'As in the document'], ['initial', 'First letter'], ...fields.slice(1)],
    place.value('group') ?? '',
    () => inRows({group: group.value || null}))
  const outline = toggleSwitch('Outline', place.isOutline, {onchange: () =>
    outline.checked ? ask({depth: '1', sort: null, group: null, where: null, q: null}) : inRows()})
  const panel = openPanel(button, 'Sort, group, filter', [
    ...[field, descending, group].map(line), filters(place, names, inRows, condition),
      columnChoice(pane, fields.slice(1).flat()), line(outline),
  ])
  if (condition) panel.querySelector('.condition:last-of-type input').focus()
}

// MARK: The menu of a row, at the pointer or at the row.

export function openRowMenu(app, pane, row, at, link) {
  const place = pane.place.toLink(row.href), target = row.leaf ? place.detail : place.level
  const index = pane.level.indexOf(row.href),
    isEditable = app.isEditing && !pane.isSettings && app.editor.isCurrent(pane)
  const chosen = isEditable && app.editor.chosenAt(pane, index)
  openPanel({getBoundingClientRect: () => at, focus: () => link.focus()}, row.title || 'Untitled', [
    menuItem('Open', () => app.follow(row, pane)),
    el('a.menu-item', {href: place.address, target: '_blank', rel: 'noopener'}, 'Open in a new tab'),
    menuItem('Copy link', () => copy(location.origin + place.address, 'The link is copied.')),
    menuItem('Copy as curl', () => copy(curl(target), 'The command is copied.')),
    ...isEditable ? [
      chosen.length === 1 && menuItem('Rename…', () => app.editor.rename(pane, chosen)),
      menuItem('Duplicate', () => app.editor.duplicate(chosen, pane.marked)),
      menuItem('Delete', () => app.editor.remove(pane, chosen)),
    ] : [],
  ].filter(Boolean))
}

// MARK: The menu of a column: sort, filter, hide, and the most frequent values, which filter.

const FREQUENT = 10
// A level with more rows is not counted.
const MOST_COUNTED = 100_000

export async function openColumnMenu(pane, button, name) {
  const {app, place, columns, level} = pane, values = el('div')
  const ask = options => app.go(pane.place.setting({show: null, ...options}))
  const where = value => ask({where: [...pane.place.values('where'), `${name}:${value}`]})
  openPanel(button, name, [
    menuItem('Sort ascending', () => ask({sort: name})), menuItem('Sort descending', () => ask({sort: '-' + name})),
    menuItem('Filter…', () => openViewMenu(pane, pane.head.viewButton, name)),
    name !== 'Title' && menuItem('Fit the width', () => pane.fitColumn(name)),
    name !== 'Title' && menuItem('Hide', () => ask({columns: columns.filter(each => each !== name).join(',')})), values,
  ])
  if (level.count > MOST_COUNTED) return
  const {sections} = await getJSON(place.asking({group: name, sort: null, limit: 1, start: 0, fields: ''}))
  const most = sections.filter(({title}) => title !== null).sort((a, b) => b.count - a.count).slice(0, FREQUENT)
  // The title of a section may be that of a record to which its rows refer. The value is in these rows.
  const refers = [...level.loaded()].some(([, {links}]) => links?.[name])
  const choose = async ({title, start}) => {
    values.parentElement.hidePopover()
    const options = {group: name, sort: null, limit: 1, start, fields: name}
    where(refers ? (await getJSON(place.asking(options))).rows[0]?.fields[name] : title)
  }
  values.replaceChildren(el('h3', 'Most frequent'), ...most.map(section => el('button.menu-item',
    {onclick: () => choose(section)}, el('bdi', section.title), el('span.count', count(section.count)))))
}

// Checkboxes that choose the fields to show as columns.
function columnChoice(pane, names) {
  const chosen = new Set(pane.columns)
  if (!names.length) return null
  return el('fieldset', el('legend', 'Columns'), ...names.slice(0, 12).map(name => line(el('input', {
    type: 'checkbox', ariaLabel: name, checked: chosen.has(name), onchange: ({target}) => {
      chosen[target.checked ? 'add' : 'delete'](name)
      pane.app.go(pane.place.setting({show: null, depth: null, expand: null,
        columns: names.filter(each => chosen.has(each)).join(',')}), {replace: true})
    },
  }))))
}

const line = field => el('label.line', field.ariaLabel, field)

async function fieldNames(place) {
  const answer = await getJSON(new Place(place.segments).asking({fields: '*', limit: 50})).catch(() => ({rows: []}))
  const names = answer.rows.flatMap(({fields}) => Object.keys(fields))
  return [...new Set(['Title', ...names.filter(name => !name.includes(','))])]
}

function filters(place, names, ask, added) {
  const holder = el('fieldset')
  const wanted = conditions(place)
  const apply = () => ask({where: wanted.filter(([, , value]) => value).map(parts => parts.join(''))}, true)
  const draw = () => holder.replaceChildren(el('legend', 'Filter'), ...wanted.map(condition),
    el('button.plain', {onclick: () => {
    wanted.push([names[0], '~', ''])
    draw()
    holder.querySelector('.condition:last-of-type input').focus()
  }}, icon('add'), 'Add a condition'))
  // A condition is [field, sign, value].
  const condition = (parts, index) => {
    const change = part => ({target}) => {
      parts[part] = target.value
      apply()
    }
    return el('div.condition',
      choiceField('Field', [...new Set([parts[0], ...names])].map(name => [name]), parts[0], change(0)),
      choiceField('Comparison', RELATIONS, parts[1], change(1)),
      el('input', {ariaLabel: 'Value', autocomplete: 'off', value: parts[2], oninput: change(2)}),
      iconButton('close', 'Remove the condition', () => {
        wanted.splice(index, 1)
        draw()
        apply()
      }))
  }
  if (added) wanted.push([added, ':', ''])
  draw()
  return holder
}
