// The binary's estimator, answer and words (page/estimator), as WebAssembly. Documents go in as JSON text, and JSON comes out.

export interface About {
  schema: number;
  method: number;
  version: string;
  least_forks: number;
}

/** A decision between two ciphers, as an export has it. */
export interface Ciphers {
  is: 'ciphers';
  first: { algorithm: string };
  second: { algorithm: string };
  libraries: { provider: string; rows: { message: number; figures: { gb_per_s: number | null }[] }[] }[];
}

export interface Answer {
  question: string;
  measured_on: string;
  answered: boolean;
  sentences: string[];
  about: Ciphers | { is: Exclude<string, 'ciphers'> } | null;
  notes: string[];
  left_out: { is: string; cells: number[]; sentence: string }[];
}

export interface Decided {
  answer: Answer;
  /** What the answer is about, titles first. */
  table: string[][];
  /** What it rests on. */
  basis: string;
}

interface Exports {
  memory: WebAssembly.Memory;
  input(length: number): number;
  output(): number;
  about(): number;
  lead(): number;
  decide(): number;
  complete(): number;
}

export class Estimator {
  private readonly functions: Exports;

  constructor(module: WebAssembly.Module) {
    this.functions = new WebAssembly.Instance(module).exports as unknown as Exports;
  }

  about(): About {
    return this.result(this.functions.about()) as About;
  }

  /** The leader so far, in few words; null before there is one. */
  lead(document: object): string | null {
    this.put(document);
    return this.result(this.functions.lead()) as string | null;
  }

  decide(document: object): Decided {
    this.put(document);
    return this.result(this.functions.decide()) as Decided;
  }

  /** The document with summaries and answer, as `ciphermeter export` writes it. */
  complete(document: object): string {
    this.put(document);
    return this.text(this.functions.complete());
  }

  private put(document: object): void {
    const text = new TextEncoder().encode(JSON.stringify(document));
    const place = this.functions.input(text.length);
    new Uint8Array(this.functions.memory.buffer, place, text.length).set(text);
  }

  private text(length: number): string {
    const text = new TextDecoder().decode(new Uint8Array(this.functions.memory.buffer, this.functions.output(), length));
    const wrong = /^\{"error":/.test(text) ? (JSON.parse(text) as { error: string }) : null;
    if (wrong !== null) throw new Error(`the estimator refuses the document: ${wrong.error}`);
    return text;
  }

  private result(length: number): unknown {
    return JSON.parse(this.text(length));
  }
}
