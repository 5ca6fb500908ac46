// The menus of a column: More, and Sort, group, filter.

import {ask as askReader, openPanel} from './dialogs.js'
import {base, choiceField, el, icon, iconButton, stop, titleText, toggleSwitch} from './elements.js'
import {RELATIONS} from './level-head.js'
import {tell} from './messages.js'
import {conditions, Place} from './place.js'
import {getJSON, openTab, token} from './service.js'

// MARK: The menu More: the path, the curl command, the address, the JSON, the keys, and editing.

export function openMoreMenu(pane, button) {
  const {app, target} = pane
  const item = (text, action) => el('button.menu-item', {onclick: ({target}) => {
    target.parentNode.hidePopover()
    action()
  }}, text)
  openPanel(button, 'More', [
    app.isNarrow && pane.place.parent && pathLinks(pane),
    item('Copy as curl', () => copy(curl(target), 'The command is copied.')),
    item('Copy address', () => copy(location.href, 'The address is copied.')),
    el('a.menu-item', {href: base + target, target: '_blank', rel: 'noopener', onclick: event => token.value && (stop(event), openTab(target))}, 'JSON'),
    item('Keys…', () => showKeys(app)),
    app.isEditable && (app.isEditing ? item('Stop editing', () => app.setEditing(false))
      : item('Edit…', async () => await token.ask('editing') && app.setEditing(true))),
  ])
}

// Links to the levels above, for narrow screens, which do not show the path.
const pathLinks = ({place, level, detail}) => el('nav.path', {ariaLabel: 'Path'}, ...place.segments.map((_, depth) => {
  const above = place.prefix(depth), title = (level?.head ?? detail)?.ancestors?.[depth]?.title ?? (above.name || 'Root')
  return el('a.menu-item.step', {href: above.address, onclick: ({target}) => target.closest('.panel').hidePopover(), style: `--depth: ${depth}`},
    el('bdi', titleText(title)))
}))

const KEYS = [['↑ ↓ Page Up, Page Down, Home, End', 'another row'], ['→ Enter', 'opens a row'], ['← Escape', 'the level above'],
  ['/', 'searches'], ['Letters', 'the next row that begins with them'], ['?', 'these keys']]
const EDITING_KEYS = [['F2', 'renames'], ['Insert', 'adds'], ['Delete', 'deletes'], ['Space', 'marks'], ['Alt ↑ ↓', 'moves'],
  ['Ctrl D', 'duplicates'], ['Ctrl X, Ctrl V', 'moves to another level'], ['Ctrl Z, Ctrl Y', 'undoes, redoes']]

export const showKeys = app => askReader('Keys', [el('dl.keys', ...[...KEYS, ...(app.isEditing ? EDITING_KEYS : [])].map(([keys, what]) =>
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

// MARK: The menu Sort, group, filter, which also has columns and the outline. It offers the fields of the level's first
// rows.

export async function openViewMenu(pane, button) {
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
  const group = choiceField('Group by', [['', 'As in the document'], ['initial', 'First letter'], ...fields.slice(1)], place.value('group') ?? '',
    () => inRows({group: group.value || null}))
  const outline = toggleSwitch('Outline', place.isOutline, {onchange: () =>
    outline.checked ? ask({depth: '1', sort: null, group: null, where: null, q: null}) : inRows()})
  openPanel(button, 'Sort, group, filter', [
    ...[field, descending, group].map(line), filters(place, names, inRows), columnChoice(pane, fields.slice(1).flat()), line(outline),
  ])
}

// Checkboxes that choose the fields to show as columns.
function columnChoice(pane, names) {
  const chosen = new Set(pane.place.names('columns'))
  if (!names.length) return null
  return el('fieldset', el('legend', 'Columns'), ...names.slice(0, 12).map(name => line(el('input', {
    type: 'checkbox', ariaLabel: name, checked: chosen.has(name), onchange: ({target}) => {
      chosen[target.checked ? 'add' : 'delete'](name)
      pane.app.go(pane.place.setting({show: null, depth: null, expand: null, columns: names.filter(each => chosen.has(each)).join(',') || null}), {replace: true})
    },
  }))))
}

const line = field => el('label.line', field.ariaLabel, field)

async function fieldNames(place) {
  const answer = await getJSON(new Place(place.segments).asking({fields: '*', limit: 50})).catch(() => ({rows: []}))
  const names = answer.rows.flatMap(({fields}) => Object.keys(fields))
  return [...new Set(['Title', ...names.filter(name => !name.includes(','))])]
}

function filters(place, names, ask) {
  const holder = el('fieldset')
  const wanted = conditions(place)
  const apply = () => ask({where: wanted.filter(([, , value]) => value).map(parts => parts.join(''))}, true)
  const draw = () => holder.replaceChildren(el('legend', 'Filter'), ...wanted.map(condition), el('button.plain', {onclick: () => {
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
  draw()
  return holder
}
