/** At once, while the API still searches: Enter takes the first option. */
export function matchesOption(option: object, typed: string): boolean {
  return 'label' in option && String(option.label).toLowerCase().includes(typed.toLowerCase())
}
