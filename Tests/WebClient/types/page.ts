// A page of another developer, which the TypeScript compiler checks against the types of drilldown.js.

import {applied, concerns, Detail, Drilldown, isPath, Level, pauseAfter, Problem, Row, version, withoutWait}
  from '../../../Sources/WebClient/types/drilldown.js'

type Product = {Title: string, Price: number, Tags?: string[]}

const service = new Drilldown({address: 'http://localhost:8080', token: null, store: null})

export async function prices(): Promise<number> {
  const level = await service.get<Level<Product>>('/levels/', {fields: '*', limit: 100, sort: '-Price'})
  const rows: Row<Product>[] = level.rows
  const next: string | null = level.next
  if (next) await service.get<Level<Product>>(next)
  return rows.reduce((sum, {fields}) => sum + fields.Price, level.sections[0].start)
}

export async function edit(href: string): Promise<string> {
  const detail = await service.get<Detail<Product>>(href)
  try {
    const saved = await service.save(detail, {Price: 15, Tags: null})
    await service.send<null>('DELETE', saved.href, undefined, saved.fieldsVersion)
    const made = await service.send('POST', saved.level, {Title: 'New', Tags: ['a', 1, null]})
    return made?.title ?? detail.position.of.toString()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return error.theirs?.fields.Price + error.message + pauseAfter(error, 1) + error.status
  }
}

export const end: () => void = service.watch('/levels/', (level, {isCopy, isLost, problem}) => {
  console.log(level?.rows.map(({title}) => title), isCopy, isLost, problem?.body.type, version)
})

export async function changes(level: Level, link: string): Promise<Level> {
  if (!isPath(link) || !concerns({levels: [], details: []}, link, {below: true})) return level
  return applied(await service.get<object>(withoutWait(level.follow)), level)
}

// @ts-expect-error: a field has a type.
service.save({} as Detail<Product>, {Price: 'much'})
// @ts-expect-error: a row has no such member.
service.get('/levels/').then(({rows}) => rows[0].name)
// @ts-expect-error: an option is not an object.
service.get('/levels/', {where: {}})
