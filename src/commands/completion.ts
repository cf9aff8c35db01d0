import type { Command } from './command.ts';
import { UsageError } from './flags.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

/** `load`: returns all commands by name. */
export const completion = (load: () => Promise<ReadonlyMap<string, Command>>): Command => ({
  summary: 'Prints what lets a shell complete commands and flags',
  usage: ' bash|zsh|fish',
  args: ['SHELL'],
  flags: {},
  notes: `  bash: eval "$(vitrine completion bash)" in ~/.bashrc
  zsh:  eval "$(vitrine completion zsh)" in ~/.zshrc
  fish: vitrine completion fish > ~/.config/fish/completions/vitrine.fish`,
  async run({ flags, out }) {
    const shell = shells.find((one) => one === flags.text('SHELL'));
    if (!shell) throw new UsageError(`SHELL must be one of ${shells.join(', ')}`);
    out(scripts[shell]([...(await load())].map(describe)));
    return 0;
  },
});

interface Known {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly { readonly name: string; readonly summary: string }[];
}

function describe([name, { summary, flags }]: readonly [string, Command]): Known {
  return {
    name,
    summary,
    flags: Object.entries(flags).map(([flag, { summary: text }]) => ({ name: flag, summary: text })),
  };
}

const scripts: Readonly<Record<Shell, (commands: readonly Known[]) => string>> = { bash, zsh, fish };

function bash(commands: readonly Known[]): string {
  const cases = commands.map(({ name, flags }) => `    ${name}) words="${flagNames(flags)}" ;;`);
  return `_vitrine() {
  local words
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    *) words="${commands.map(({ name }) => name).join(' ')} help" ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then words="${commands.map(({ name }) => name).join(' ')} help"; fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _vitrine vitrine
`;
}

function zsh(commands: readonly Known[]): string {
  const cases = commands.map(({ name, flags }) => `    ${name}) compadd -- ${flagNames(flags)}; _files ;;`);
  const described = commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`);
  return `_vitrine() {
  local -a commands=(
${described.join('\n')}
  )
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  case "\${words[2]}" in
${cases.join('\n')}
  esac
}
compdef _vitrine vitrine
`;
}

function fish(commands: readonly Known[]): string {
  const lines = commands.flatMap(({ name, summary, flags }) => [
    `complete -c vitrine -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ...flags.map(
      (flag) =>
        `complete -c vitrine -n '__fish_seen_subcommand_from ${name}' -l ${flag.name} -d ${quoted(flag.summary)}`,
    ),
  ]);
  return `${lines.join('\n')}\n`;
}

const flagNames = (flags: Known['flags']) => flags.map(({ name }) => `--${name}`).join(' ');
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
