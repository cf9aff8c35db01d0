/** The console as it was built: `npm run build:console` writes files.js beside this. */

export interface BuiltFile {
  readonly type: string;
  /** The gzipped content in base64. */
  readonly gzip: string;
}

/** `{root}` in it stands for the way from the page's address to the console's. */
export declare const page: string;
/** By the name below `_assets/`, which holds a hash of the content. */
export declare const assets: Readonly<Record<string, BuiltFile>>;
