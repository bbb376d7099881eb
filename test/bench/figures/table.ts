import type { Figure } from './figures.ts';
import { isMet } from './figures.ts';

const HEADINGS = ['figure', 'unit', 'min', 'median', 'p99', 'ratio', 'target', ''] as const;
/** Columns of words; the others are numbers and stand to the right. */
const LEFT = new Set([0, 1, 7]);
const SIGNIFICANT = 3;

const MOST_DECIMALS = 6;

/** Three significant digits, but never fewer than the whole part has. */
export const formatNumber = (value: number): string => {
  if (Number.isInteger(value)) return value.toLocaleString('en-US');
  const wanted = SIGNIFICANT - 1 - Math.floor(Math.log10(Math.abs(value)));
  const decimals = Math.min(MOST_DECIMALS, Math.max(0, wanted));
  return value.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
};

const optional = (value: number | undefined): string => (value === undefined ? '' : formatNumber(value));

const targetOf = (figure: Figure): string => {
  const { target } = figure;
  if (!target) return '';
  const bound = 'atMost' in target ? `≤ ${formatNumber(target.atMost)}` : `≥ ${formatNumber(target.atLeast)}`;
  return `${bound} ${isMet(figure) ? '✓' : '✗'}`;
};

const ratioOf = ({ ratio }: Figure): string => (ratio ? `${formatNumber(ratio.value)}×` : '');

const noteOf = ({ ratio, note }: Figure): string =>
  [ratio && `× ${ratio.to}`, note].filter((text) => text !== undefined).join('; ');

const cellsOf = (figure: Figure): readonly string[] => [
  figure.name,
  figure.unit,
  optional(figure.min),
  formatNumber(figure.value),
  optional(figure.p99),
  ratioOf(figure),
  targetOf(figure),
  noteOf(figure),
];

const padded = (cells: readonly string[], widths: readonly number[]): string =>
  cells
    .map((cell, column) =>
      LEFT.has(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    )
    .join('  ')
    .trimEnd();

/** Lines of one table; `groups` are figures under a heading each. */
export const tableOf = (
  groups: readonly { readonly heading: string; readonly figures: readonly Figure[] }[],
): readonly string[] => {
  const rows = groups.flatMap(({ figures }) => figures.map(cellsOf));
  const widths = HEADINGS.map((heading, column) =>
    Math.max(heading.length, ...rows.map((cells) => cells[column]?.length ?? 0)),
  );
  const lines = groups.flatMap(({ heading, figures }) => [
    '',
    heading,
    ...figures.map((figure) => `  ${padded(cellsOf(figure), widths)}`),
  ]);
  return [`  ${padded(HEADINGS, widths)}`, ...lines];
};
