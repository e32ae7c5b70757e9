played"
n1
boot of n1(*
tracepointP€ĞÛÃôXĞßÛÃô`Š	ethn1¸`Â*
n1n0
boot of n0"€ĞÛÃô"€’³óô(¡