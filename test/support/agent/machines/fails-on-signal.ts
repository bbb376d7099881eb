/** An agent that gets SIGUSR2 fails with the text of the variable `FAILS_WITH`, as by an error that nothing has caught. Loaded by `--import`. */
process.on('SIGUSR2', () => {
  throw new Error(process.env['FAILS_WITH']);
});
