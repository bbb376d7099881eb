"""Runs a command on a terminal of its own. Reads JSON lines: {"keys": text}, {"size": [columns, rows]}, {"signal": number} or {"screen": seconds};
answers each "screen" with what the terminal shows after so many seconds at most without output, and the modes that are set."""
import codecs, fcntl, json, os, pty, re, select, signal, struct, sys, termios, time, unicodedata

columns, rows = int(sys.argv[1]), int(sys.argv[2])
pid, terminal = pty.fork()
if pid == 0:
    time.sleep(0.2)
    os.execvp(sys.argv[3], sys.argv[3:])

grid, row, column, rest, modes, overflow = [], 0, 0, '', set(), False
decode = codecs.getincrementaldecoder('utf8')('replace').decode

def resize(c, r):
    global columns, rows, grid
    columns, rows = c, r
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', r, c, 0, 0))
    grid = [[' '] * c for _ in range(r)]

def feed(text):
    global row, column, rest, overflow
    rest += text
    while rest:
        match = re.match(r'\x1b\[([?0-9;]*)([A-Za-z])', rest)
        if match:
            argument, code = match.groups()
            rest = rest[match.end():]
            if code == 'H':
                row, column = [int(part or 1) - 1 for part in (argument + ';1').split(';')[:2]]
            elif code == 'J':
                grid[:] = [[' '] * columns for _ in range(rows)]
            elif code == 'K':
                grid[row] = [' '] * columns
            elif code in 'hl':
                (modes.add if code == 'h' else modes.discard)(argument)
            continue
        if rest[0] == '\x1b' and len(rest) < 20:
            return
        letter, rest = rest[0], rest[1:]
        if letter == '\n':
            row = min(row + 1, rows - 1)
        elif letter == '\r':
            column = 0
        elif row < rows and column < columns:
            grid[row][column] = letter
            column += 2 if unicodedata.east_asian_width(letter) in 'WF' else 1
        else:
            overflow = True

def pump(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not select.select([terminal], [], [], 0.05)[0]:
            continue
        try:
            data = os.read(terminal, 65536)
        except OSError:
            return False
        if not data:
            return False
        feed(decode(data))
    return True

resize(columns, rows)
for line in sys.stdin:
    order = json.loads(line)
    if 'keys' in order:
        os.write(terminal, order['keys'].encode())
    elif 'size' in order:
        resize(*order['size'])
        os.kill(pid, signal.SIGWINCH)
    elif 'signal' in order:
        os.kill(pid, order['signal'])
    else:
        runs = pump(order['screen'])
        is_cooked = bool(termios.tcgetattr(terminal)[3] & termios.ICANON) if runs else True
        lines = [''.join(cells).rstrip() for cells in grid]
        code = None if runs else os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        print(json.dumps({'lines': lines, 'modes': sorted(modes), 'isCooked': is_cooked, 'overflow': overflow, 'code': code}), flush=True)
        if not runs:
            break
else:
    os.kill(pid, signal.SIGKILL)
