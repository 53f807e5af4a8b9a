/**
 * Abbreviations of time zones from the system's data: a TZif file (RFC 9636), whose transitions end where its footer
 * begins, or the text of a footer alone, as in TZ (specification 9.2).
 */

export interface ZoneTime {
  /** `CEST`, or `+03` if it has no name. */
  readonly abbreviation: string
  /** Seconds east of UTC. */
  readonly offset: number
}

/** @param time epoch seconds */
export type Zone = (time: number) => ZoneTime

/** @returns undefined for anything but a TZif file of version 2 or later */
export function parseZoneFile(file: Uint8Array): Zone | undefined {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const isZoneFile = view.byteLength > 2 * headerBytes && view.getUint32(0) === magic && view.getUint8(4) >= 0x32
  if (!isZoneFile) return undefined
  const second = endOf(view, 0, 4) // the first block has 32 bits only
  const [, , , times, types, characters] = readCounts(view, second)
  const timesAt = second + headerBytes
  const indexesAt = timesAt + times * 8
  const typesAt = indexesAt + times
  const names = latin1.decode(file.subarray(typesAt + types * 6, typesAt + types * 6 + characters))
  const readType = (index: number): ZoneTime => {
    const name = view.getUint8(typesAt + index * 6 + 5)
    return { abbreviation: names.slice(name, names.indexOf('\0', name)), offset: view.getInt32(typesAt + index * 6) }
  }
  const footer = latin1.decode(file.subarray(endOf(view, second, 8))).split('\n')[1] ?? ''
  const afterLast = parseZoneText(footer)
  return (time) => {
    let index = times - 1
    while (index >= 0 && Number(view.getBigInt64(timesAt + index * 8)) > time) index -= 1
    if (index === times - 1 && afterLast) return afterLast(time)
    return readType(index < 0 ? 0 : view.getUint8(indexesAt + index))
  }
}

/** @param text in POSIX form: `CET-1CEST,M3.5.0,M10.5.0/3`, `<+0530>-5:30` */
export function parseZoneText(text: string): Zone | undefined {
  const parts = zoneText.exec(text)?.groups
  if (!parts) return undefined
  const { name = '', offset = '', summerName, summerOffset, from = 'M3.2.0', to = 'M11.1.0' } = parts
  const standard = { abbreviation: unquote(name), offset: -parseTime(offset) }
  if (summerName === undefined) return () => standard
  const ahead = summerOffset === undefined ? standard.offset + 3600 : -parseTime(summerOffset)
  const summer = { abbreviation: unquote(summerName), offset: ahead }
  return (time) => {
    const year = new Date((time + standard.offset) * 1000).getUTCFullYear()
    const begins = parseChange(from, year) - standard.offset
    const ends = parseChange(to, year) - summer.offset
    const isSummer = begins < ends ? time >= begins && time < ends : time >= begins || time < ends
    return isSummer ? summer : standard
  }
}

const magic = 0x54_5a_69_66 // "TZif"
const headerBytes = 44
const latin1 = new TextDecoder('latin1')

const time = String.raw`[+-]?\d{1,3}(?::\d{1,2}){0,2}`
const abbreviation = String.raw`[A-Za-z]{3,}|<[\w+-]{3,}>`
const change = String.raw`(?:J?\d{1,3}|M\d{1,2}\.\d\.\d)(?:/${time})?`
const zoneText = new RegExp(
  `^(?<name>${abbreviation})(?<offset>${time})` +
    `(?:(?<summerName>${abbreviation})(?<summerOffset>${time})?(?:,(?<from>${change}),(?<to>${change}))?)?$`,
)

/** Numbers of UT and standard indicators, leap seconds, transitions, types, and characters of names. */
function readCounts(view: DataView, header: number): [number, number, number, number, number, number] {
  const read = (place: number) => view.getUint32(header + 20 + place * 4)
  return [read(0), read(1), read(2), read(3), read(4), read(5)]
}

/** @param bytes of a time in this block */
function endOf(view: DataView, header: number, bytes: number): number {
  const [ut, standard, leaps, times, types, characters] = readCounts(view, header)
  return header + headerBytes + times * (bytes + 1) + types * 6 + characters + leaps * (bytes + 4) + standard + ut
}

function unquote(name: string): string {
  return name.replace(/[<>]/g, '')
}

/** Seconds. */
function parseTime(text: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = text.replace(/^[+-]/, '').split(':').map(Number)
  return (text.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds)
}

/** Epoch seconds of the change in that year, in local time. */
function parseChange(text: string, year: number): number {
  const [day = '', at = '2'] = text.split('/')
  return Date.UTC(year, 0, 1) / 1000 + dayOfYear(day, year) * 86_400 + parseTime(at)
}

/** From 0. `J60` is the first of March in every year, `59` the 60th day, `M3.5.0` the last Sunday of March. */
function dayOfYear(text: string, year: number): number {
  if (text.startsWith('J')) {
    const day = Number(text.slice(1))
    return day - 1 + (day >= 60 && lengthOf(year, 2) === 29 ? 1 : 0)
  }
  if (!text.startsWith('M')) return Number(text)
  const [month = 1, week = 1, weekday = 0] = text.slice(1).split('.').map(Number)
  const first = (weekday - new Date(Date.UTC(year, month - 1, 1)).getUTCDay() + 7) % 7
  const day = first + (week - 1) * 7
  const inMonth = day < lengthOf(year, month) ? day : day - 7
  return (Date.UTC(year, month - 1, 1) - Date.UTC(year, 0, 1)) / 86_400_000 + inMonth
}

function lengthOf(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate()
}
