// The team whose server serves this page: a run goes there when its owner presses the button, and never before. The right to send comes
// with the link, in its fragment, which browsers send to no server; it leaves the address at once, so that nobody copies it unawares.

const NAME = '#join=';
const TOKEN = /^ciphermeter_[0-9a-f]{64}$/;
/** In `sessionStorage`: the right to send, until the tab is closed. */
const KEPT = 'ciphermeter-join';
/** A server that takes longer is away. */
const MOST_MS = 60_000;
const MOST_ANSWER = 64 * 1024;
const MOST_REASON = 300;

const ASK = 'ask for a new link to join, open it in this browser, and press the button again';

/** What came of sending: a sentence, and the run's page where there is one. */
export interface Sent {
  sentence: string;
  page: string | null;
}

/** The server of a team that serves this page; null: it is a plain host. */
export class Team {
  readonly host = location.host;
  private token: string | null = null;

  private constructor(private readonly wantsToken: boolean) {}

  static here(): Team | null {
    const told = document.querySelector<HTMLMetaElement>('meta[name="ciphermeter-team"]');
    return told === null ? null : new Team(told.content === 'token');
  }

  /** Takes the right to send out of the address; a sentence where what stands there is none. */
  join(): string {
    try {
      this.token ??= sessionStorage.getItem(KEPT);
    } catch {
      // A browser that keeps nothing.
    }
    if (!location.hash.startsWith(NAME)) return '';
    const token = location.hash.slice(NAME.length);
    history.replaceState(null, '', location.pathname + location.search);
    if (!TOKEN.test(token)) return 'The link to join is not whole: scan its code again, or ask for another.';
    this.token = token;
    try {
      sessionStorage.setItem(KEPT, token);
    } catch {
      // It holds as long as the page is open.
    }
    return '';
  }

  /** Sends a run, an export, under a name if it has one. */
  async send(run: string, name: string): Promise<Sent> {
    const failed = (sentence: string): Sent => ({ sentence: `${sentence}. The run is kept here.`, page: null });
    if (this.wantsToken && this.token === null) return failed(`This page has no right to send to ${this.host}: ${ASK}`);
    let answer: Response;
    try {
      answer = await fetch(`/api/runs${name === '' ? '' : `?${new URLSearchParams({ machine: name })}`}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(this.token === null ? {} : { authorization: `Bearer ${this.token}` }) },
        body: run,
        credentials: 'omit',
        redirect: 'error',
        signal: AbortSignal.timeout(MOST_MS),
      });
    } catch {
      return failed(`${this.host} does not answer: press the button again when it does`);
    }
    const said = await read(answer);
    const why = typeof said.error === 'string' ? `: ${said.error.slice(0, MOST_REASON)}` : '';
    switch (answer.status) {
      case 200:
      case 201:
        return this.taken(said) ?? failed(`${this.host} gives an answer that this page does not know: load the page again`);
      case 401:
        return failed(`The right to send to ${this.host} has ended: ${ASK}`);
      case 403:
        return failed(`${this.host} does not let this page send: ${ASK}`);
      case 413:
        return failed(`The run is too long for ${this.host}${why === '' ? ': a proxy before it takes less' : why}`);
      case 422:
        return failed(`${this.host} does not take the run${why}`);
      default:
        // A server says what is in the way: a clock that is wrong, a full disk, too much to do.
        return failed(`${this.host} does not take the run now${why === '' ? ` (${answer.status})` : why}; press the button again later`);
    }
  }

  private taken({ run, is_new: isNew, machine }: { [name: string]: unknown }): Sent | null {
    if (typeof run !== 'string' || !/^[0-9a-f]{64}$/.test(run) || typeof machine !== 'string') return null;
    const sentence = isNew === true ? `Sent: ${this.host} has the run, of ${machine}.` : `${this.host} has the run already, of ${machine}.`;
    return { sentence, page: `/runs/${run}` };
  }
}

/** What a server answers; nothing where that is no object of JSON, or longer than any answer. */
async function read(answer: Response): Promise<{ [name: string]: unknown }> {
  try {
    const text = await answer.text();
    const value: unknown = text.length > MOST_ANSWER ? null : JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as { [name: string]: unknown }) : {};
  } catch {
    return {};
  }
}
