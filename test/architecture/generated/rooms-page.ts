/** The tables of rooms. */
import { ALWAYS, ROOMS, type Room } from '../rooms.ts';
import { code, pageOf, tableOf } from './markdown.ts';

const listOf = (names: readonly string[]): string => names.map(code).join(', ');

const importsOf = ({ mayImport }: Room): string => (mayImport.length > 0 ? listOf(mayImport) : 'nothing');

/** What each room is for. */
export const purposesTable = (): string =>
  tableOf(
    ['room', 'what it holds'],
    ROOMS.map(({ path, purpose }) => [code(path), purpose]),
  );

/** Who may import whom. */
export const importsTable = (): string =>
  tableOf(
    ['room', 'may import, besides itself'],
    ROOMS.map((room) => [code(room.path), importsOf(room)]),
  );

const ABOUT =
  'The rooms, from what imports nothing to what imports most: a room imports only rooms above it. `*` is the name of any folder, `{a,b}` lists names, and `node:` is every module of Node. Tests may import everything.';

/** `docs/reference/rooms.md`. */
export const roomsPage = (): string =>
  pageOf(
    'Rooms',
    ABOUT,
    tableOf(
      ['room', 'what it holds', 'may import, besides itself', 'scripts that a change must run'],
      ROOMS.map((room) => [code(room.path), room.purpose, importsOf(room), listOf(room.checks)]),
    ),
    `Every change must also run ${listOf(ALWAYS)}. \`npm run check -- --changed\` runs the scripts of the rooms that a branch changes.`,
  );
