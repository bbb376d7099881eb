/** Hides the warnings of older Nodes that something is experimental. They would appear at each start, and break logs in JSON. */
export const hushExperiments = (): void => {
  const { emitWarning } = process;
  const emit = (...given: readonly unknown[]): void => {
    if (given[1] !== 'ExperimentalWarning') Reflect.apply(emitWarning, process, given);
  };
  process.emitWarning = emit;
};
