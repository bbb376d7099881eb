/** Plays a transcript, and writes down what really happened as one. */
import { eventually } from '../../support/clocks/eventually.ts';
import { resolved } from './patterns.ts';
import type { Printed, Running, Shell, Variables } from './shell.ts';
import type { Expected, Step } from './transcript.ts';

/** Of one command, in ms. Only what hangs takes so long. */
const COMMAND_MS = 90_000;

/** Two texts that are equal when the session went as written. */
export interface Played {
  readonly expected: string;
  readonly actual: string;
}

const withVariables = (line: string, variables: Variables): string =>
  line.replaceAll(/\$(\w+)/g, (whole, name: string) => variables[name] ?? whole);

const shown = (command: string, { out, err, code }: Expected): string =>
  [`$ ${command}`, ...out, ...err.map((line) => `! ${line}`), ...(code === 0 ? [] : [`= ${code}`]), ''].join(
    '\n',
  );

const expectedOf = (step: Step, variables: Variables, actual: Printed): Expected => {
  const own = (lines: readonly string[]): readonly string[] =>
    lines.map((line) => withVariables(line, variables));
  return {
    out: resolved(own(step.out), actual.out),
    err: resolved(own(step.err), actual.err),
    code: step.code,
  };
};

const BACKGROUND = / &$/;

/** The command in the background, and how many lines of it have been looked at. */
interface Background {
  readonly running: Running;
  readonly seen: { readonly out: number; readonly err: number };
}

const isPrinted = (step: Step, { running, seen }: Background): boolean => {
  const { out, err } = running.printed();
  return out.length >= seen.out + step.out.length && err.length >= seen.err + step.err.length;
};

const printedSince = (
  { seen }: Background,
  { out, err }: Pick<Printed, 'out' | 'err'>,
  code: number,
): Printed => ({
  out: out.slice(seen.out),
  err: err.slice(seen.err),
  code,
});

/** Until the lines of `step` are there, or it is clear that they will not come. */
const awaitLines = (step: Step, background: Background): Promise<unknown> =>
  Promise.race([
    eventually('its lines', COMMAND_MS, async () => isPrinted(step, background) || undefined).catch(() => {}),
    background.running.ended,
  ]);

const withinTime = async (running: Running): Promise<Printed> => {
  const late = setTimeout(() => running.stop(), COMMAND_MS);
  try {
    return await running.ended;
  } finally {
    clearTimeout(late);
  }
};

const createPlayer = (shell: Shell, variables: Variables) => {
  let background: Background | undefined;

  const begin = async (step: Step): Promise<Printed> => {
    const running = shell.run(step.command.replace(BACKGROUND, ''), variables);
    background = { running, seen: { out: 0, err: 0 } };
    await awaitLines(step, background);
    const { out, err } = running.printed();
    background = { running, seen: { out: out.length, err: err.length } };
    return { out, err, code: 0 };
  };

  const end = async (step: Step, given: Background): Promise<Printed> => {
    if (step.command === 'stop') {
      await awaitLines(step, given);
      given.running.stop();
      return printedSince(given, await given.running.ended, 0);
    }
    const printed = await withinTime(given.running);
    return printedSince(given, printed, printed.code);
  };

  return {
    play: (step: Step): Promise<Printed> => {
      if (BACKGROUND.test(step.command)) return begin(step);
      if (background && ['stop', 'wait'].includes(step.command)) return end(step, background);
      return withinTime(shell.run(step.command, variables));
    },
    close: () => background?.running.stop(),
  };
};

/** Plays all steps, also after one that went wrong: the difference of the texts then shows everything. */
export const playSession = async (
  shell: Shell,
  steps: readonly Step[],
  variables: Variables,
): Promise<Played> => {
  const player = createPlayer(shell, variables);
  const played = { expected: '', actual: '' };
  try {
    for (const step of steps) {
      const printed = await player.play(step);
      played.expected += shown(step.command, expectedOf(step, variables, printed));
      played.actual += shown(step.command, printed);
    }
  } finally {
    player.close();
  }
  return played;
};
