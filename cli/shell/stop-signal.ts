/** Resolves to the signal at the first Ctrl-C or SIGTERM. The second one ends the process at once. */
export const stopSignal = (): Promise<string> =>
  new Promise((resolve) => {
    let hasCome = false;
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => {
        if (hasCome) process.exit(130);
        hasCome = true;
        resolve(signal);
      });
  });
